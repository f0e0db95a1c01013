//! The boundary between hosts and plugins: bytes, numbers and functions with the layout of C.
//!
//! `include/repertoire_plugin.h` is generated from this file.

use std::ffi::c_void;

/// The first eight bytes of a table, as a number.
pub const REPERTOIRE_MAGIC: u64 = 0x7265_7065_7274_6f69;

/// The major version of this boundary. A host refuses a plugin of another major version.
pub const REPERTOIRE_ABI_MAJOR: u16 = 1;

/// The minor version of this boundary. Hosts and plugins of one major version are compatible.
pub const REPERTOIRE_ABI_MINOR: u16 = 0;

/// The version of the messages.
pub const REPERTOIRE_SCHEMA: u32 = 1;

/// The status of a call whose reply is the result.
pub const REPERTOIRE_OK: i32 = 0;

/// The status of a call whose reply is an error message. Any other number but 0 means the same.
pub const REPERTOIRE_ERROR: i32 = 1;

/// Bytes that are valid during a call. They have no NUL at the end.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RepertoireSlice {
    /// The first byte; may be null where `len` is 0.
    pub ptr: *const u8,
    /// The number of bytes.
    pub len: usize,
}

/// Bytes that a plugin made and owns until the host passes them to `free_buffer`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RepertoireBuffer {
    /// The first byte; may be null where `len` is 0.
    pub ptr: *mut u8,
    /// The number of bytes.
    pub len: usize,
}

/// Makes a source. The request is a `create` message; on success `made` gets a pointer that is not null.
pub type RepertoireCreate = unsafe extern "C" fn(
    request: RepertoireSlice,
    made: *mut *mut c_void,
    reply: *mut RepertoireBuffer,
) -> i32;

/// Asks a source. The reply is empty until the plugin sets it.
pub type RepertoireCall = unsafe extern "C" fn(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32;

/// Notifies a source.
pub type RepertoireTell = unsafe extern "C" fn(source: *mut c_void);

/// Takes a buffer back.
pub type RepertoireFree = unsafe extern "C" fn(buffer: RepertoireBuffer);

/// The functions of a plugin. The table lives as long as the process.
///
/// The host makes one call of a source at a time, on any thread. Two functions may run beside it: `wait`, itself once at
/// a time, and `cancel`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RepertoireTable {
    /// `REPERTOIRE_MAGIC`.
    pub magic: u64,
    /// `REPERTOIRE_ABI_MAJOR`.
    pub abi_major: u16,
    /// `REPERTOIRE_ABI_MINOR`.
    pub abi_minor: u16,
    /// The size of this table in bytes. Later minor versions only add fields at the end.
    pub size: u32,
    /// Names separated by blanks: `resources` and `changes`. A host ignores unknown names.
    pub features: RepertoireSlice,
    /// Makes a source from its configuration.
    pub create: Option<RepertoireCreate>,
    /// Lists all skills: an empty request, a `listing` message.
    pub list: Option<RepertoireCall>,
    /// Reads the instructions of one skill: a `key` message, a `body` message.
    pub body: Option<RepertoireCall>,
    /// Lists the files beside them: a `key` message, a `resources` message. May be null without the feature `resources`.
    pub resources: Option<RepertoireCall>,
    /// Reads one of these files: a `file` message, its raw bytes. May be null without the feature `resources`.
    pub resource: Option<RepertoireCall>,
    /// Waits for a later revision, at most for a time: a `wait` message, a `waited` message. May be null without the feature
    /// `changes`.
    pub wait: Option<RepertoireCall>,
    /// Ends the calls in progress soon, with any result. May be null.
    pub cancel: Option<RepertoireTell>,
    /// Frees a source without calls in progress.
    pub destroy: Option<RepertoireTell>,
    /// Takes back a buffer that a call replied with, unless its pointer is null.
    pub free_buffer: Option<RepertoireFree>,
}

// SAFETY: a table and what its slice points to are never written to after they were made.
unsafe impl Send for RepertoireTable {}
// SAFETY: as above.
unsafe impl Sync for RepertoireTable {}

/// The type of the one function that a plugin exports: `repertoire_plugin`.
pub type RepertoirePlugin = unsafe extern "C" fn() -> *const RepertoireTable;

/// The name of that function.
pub const ENTRY: &str = "repertoire_plugin";

/// The name of the bytes that say what a plugin is without running it: a `note` message and a NUL.
pub const NOTE: &str = "repertoire_plugin_note";

impl RepertoireSlice {
    /// Creates a slice of bytes that live as long as the process.
    pub const fn new(bytes: &'static [u8]) -> RepertoireSlice {
        RepertoireSlice {
            ptr: bytes.as_ptr(),
            len: bytes.len(),
        }
    }
}

impl RepertoireBuffer {
    /// The buffer without bytes.
    pub const EMPTY: RepertoireBuffer = RepertoireBuffer {
        ptr: std::ptr::null_mut(),
        len: 0,
    };
}
