//! Files that this user alone can have written.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The most bytes of such a file that are read.
const LARGEST: u64 = 16 << 20;

/// Reads a file that this user alone can have written, as one that holds decisions of trust must be; `None` where there is none.
///
/// # Errors
/// In words for people, as a clause about the file: for one that is a link, not a regular file, larger than 16 MiB or another user's; for one that others
/// can write to; for a folder that is another user's or that others can write to; and where a folder above is open to all.
/// Elsewhere than on Unix, the rights of the folder are taken as they are.
pub fn read_own_file(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match check_folder(folder) {
        Err(Unfit::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
        checked => checked.map_err(|unfit| unfit.of_folder(folder))?,
    }
    let (file, metadata) = match open(path) {
        Err(Unfit::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Unfit::of_file)?,
    };
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

/// Makes a folder that this user alone can write to, unless it is there; and refuses one that others can write to.
///
/// # Errors
/// In words for people: as [`read_own_file`] about the folder.
pub fn make_own_folder(folder: &Path) -> Result<(), String> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(Unfit::Io)
        .and_then(|()| check_folder(folder))
        .map_err(|unfit| unfit.of_folder(folder))
}

/// Why a file does not count as the user's own.
enum Unfit {
    Io(io::Error),
    Link,
    NotAFile,
    TooLarge,
    Foreign,
    Open,
    Above(String),
}

impl Unfit {
    /// A clause about the file.
    fn of_file(self) -> String {
        match self {
            Unfit::Io(error) => error.to_string(),
            Unfit::Link => "it is a link; put the file itself there".to_owned(),
            Unfit::NotAFile => "it is not a regular file".to_owned(),
            Unfit::TooLarge => format!("it is larger than {LARGEST} bytes"),
            Unfit::Foreign => "it belongs to another user, who could approve for you".to_owned(),
            Unfit::Open | Unfit::Above(_) => {
                "others can write to it and could approve for you; look through it, then `chmod 600` it".to_owned()
            }
        }
    }

    /// A clause about the folder of the file.
    fn of_folder(self, folder: &Path) -> String {
        let folder = folder.display();
        match self {
            Unfit::Above(above) => format!("its folder `{folder}` is below `{above}`, to which everybody can write"),
            Unfit::Foreign => format!("its folder `{folder}` belongs to another user, who could approve for you"),
            Unfit::Open => {
                format!("others can write to its folder `{folder}` and could approve for you; `chmod 700` it")
            }
            unfit => format!("its folder `{folder}`: {}", unfit.of_file()),
        }
    }
}

fn open(path: &Path) -> Result<(File, Metadata), Unfit> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    // Only to say it better; the flag is what decides.
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Unfit::Link);
    }
    let file = options.open(path).map_err(Unfit::Io)?;
    let metadata = file.metadata().map_err(Unfit::Io)?;
    if !metadata.is_file() {
        return Err(Unfit::NotAFile);
    }
    if metadata.len() > LARGEST {
        return Err(Unfit::TooLarge);
    }
    is_own(&metadata)?;
    Ok((file, metadata))
}

/// Whether nobody but this user can put a file into `folder`.
fn check_folder(folder: &Path) -> Result<(), Unfit> {
    let real = folder.canonicalize().map_err(Unfit::Io)?;
    is_own(&real.metadata().map_err(Unfit::Io)?)?;
    for above in real.ancestors().skip(1) {
        if above.metadata().is_ok_and(|metadata| is_open_to_all(&metadata)) {
            return Err(Unfit::Above(above.display().to_string()));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> Result<(), Unfit> {
    use std::os::unix::fs::MetadataExt;

    if metadata.uid() != 0 && metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(Unfit::Foreign);
    }
    if metadata.mode() & 0o022 != 0 { Err(Unfit::Open) } else { Ok(()) }
}

/// Whether everybody can put another folder in the place of one inside.
#[cfg(unix)]
fn is_open_to_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    const STICKY: u32 = 0o1000;
    metadata.mode() & 0o002 != 0 && metadata.mode() & STICKY == 0
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> Result<(), Unfit> {
    Ok(())
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Metadata) -> bool {
    false
}
