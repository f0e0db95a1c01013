//! The kinds of file systems that need care.

use std::path::Path;

/// A kind of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// A file system that stores files and reports every change of them.
    Local,
    /// A table of the kernel in the form of files: processes, devices, settings.
    Kernel,
    /// A file system that other machines change without an event here. Its owners and modes may be made up.
    Remote(&'static str),
    /// A file system that never changes. A different image in its place can have the same times and inodes.
    Image,
}

#[cfg(target_os = "linux")]
impl FileSystem {
    pub(crate) fn of(path: &Path) -> FileSystem {
        rustix::fs::statfs(path).map_or(FileSystem::Local, |stat| FileSystem::numbered(&stat))
    }

    pub(crate) fn of_file(file: &std::fs::File) -> FileSystem {
        rustix::fs::fstatfs(file).map_or(FileSystem::Local, |stat| FileSystem::numbered(&stat))
    }

    #[allow(clippy::unnecessary_cast, reason = "the type differs between systems")]
    fn numbered(stat: &rustix::fs::StatFs) -> FileSystem {
        // Sign extension differs between systems: the numbers have 32 bits.
        let number = stat.f_type as u64 & 0xffff_ffff;
        let known = MAGIC_NUMBERS.iter().find(|(magic, _)| *magic == number);
        known.map_or(FileSystem::Local, |(_, kind)| *kind)
    }
}

/// The numbers of `statfs(2)`, as in `linux/magic.h` and in the sources of the file systems that it leaves out.
#[cfg(target_os = "linux")]
const MAGIC_NUMBERS: &[(u64, FileSystem)] = &[
    (0x9fa0, FileSystem::Kernel),      // procfs
    (0x6265_6572, FileSystem::Kernel), // sysfs
    (0x6462_6720, FileSystem::Kernel), // debugfs
    (0x7472_6163, FileSystem::Kernel), // tracefs
    (0x7363_6673, FileSystem::Kernel), // securityfs
    (0xf97c_ff8c, FileSystem::Kernel), // selinuxfs
    (0x4341_5d53, FileSystem::Kernel), // smackfs
    (0x0027_e0eb, FileSystem::Kernel), // cgroup
    (0x6367_7270, FileSystem::Kernel), // cgroup2
    (0xcafe_4a11, FileSystem::Kernel), // bpf
    (0x6165_676c, FileSystem::Kernel), // pstore
    (0xde5e_81e4, FileSystem::Kernel), // efivarfs
    (0x6265_6570, FileSystem::Kernel), // configfs
    (0x6573_5543, FileSystem::Kernel), // fusectl
    (0x4249_4e4d, FileSystem::Kernel), // binfmt_misc
    (0x6e73_6673, FileSystem::Kernel), // nsfs
    (0x1cd1, FileSystem::Kernel),      // devpts
    (0x1980_0202, FileSystem::Kernel), // mqueue
    (0x7371_7368, FileSystem::Image),  // squashfs
    (0xe0f5_e1e2, FileSystem::Image),  // EROFS
    (0x28cd_3d45, FileSystem::Image),  // cramfs
    (0x7275, FileSystem::Image),       // romfs
    (0x9660, FileSystem::Image),       // ISO 9660
    (0x6969, FileSystem::Remote("NFS")),
    (0x517b, FileSystem::Remote("SMB")),
    (0xff53_4d42, FileSystem::Remote("CIFS")),
    (0xfe53_4d42, FileSystem::Remote("SMB")),
    // Folders of Windows in WSL, and of the host in virtual machines.
    (0x0102_1997, FileSystem::Remote("9p")),
    // FUSE and virtiofs: folders of the host in containers and virtual machines, and mounts over the network.
    (0x6573_5546, FileSystem::Remote("FUSE")),
    (0x786f_4256, FileSystem::Remote("vboxsf")),
    (0xbacb_acbc, FileSystem::Remote("vmhgfs")),
    (0x7c7c_6613, FileSystem::Remote("prl_fs")),
    (0x5346_414f, FileSystem::Remote("AFS")),
    (0x6b41_4653, FileSystem::Remote("AFS")),
    (0x00c3_6400, FileSystem::Remote("Ceph")),
    (0x7375_7245, FileSystem::Remote("Coda")),
    (0x564c, FileSystem::Remote("NCP")),
    (0x0bd0_0bd0, FileSystem::Remote("Lustre")),
    (0x4750_4653, FileSystem::Remote("GPFS")),
    (0x1983_0326, FileSystem::Remote("BeeGFS")),
    (0x2003_0528, FileSystem::Remote("OrangeFS")),
    (0x7461_636f, FileSystem::Remote("OCFS2")),
    (0x0116_1970, FileSystem::Remote("GFS2")),
];

#[cfg(not(target_os = "linux"))]
impl FileSystem {
    pub(crate) fn of(_path: &Path) -> FileSystem {
        FileSystem::Local
    }

    pub(crate) fn of_file(_file: &std::fs::File) -> FileSystem {
        FileSystem::Local
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn kernel_tables_are_distinguished_from_files() {
        assert_eq!(FileSystem::of(Path::new("/proc/self")), FileSystem::Kernel);
        assert_eq!(
            FileSystem::of(Path::new("/proc/self/environ")),
            FileSystem::Kernel
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(FileSystem::of(folder.path()), FileSystem::Local);
        assert_eq!(
            FileSystem::of(&folder.path().join("absent")),
            FileSystem::Local
        );
        let file = std::fs::File::open("/proc/self/environ").expect("every process has one");
        assert_eq!(FileSystem::of_file(&file), FileSystem::Kernel);
    }

    #[test]
    fn no_number_is_there_twice() {
        let numbers: std::collections::HashSet<u64> =
            MAGIC_NUMBERS.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers.len(), MAGIC_NUMBERS.len());
    }
}
