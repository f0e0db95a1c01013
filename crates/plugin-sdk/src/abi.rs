//! What crosses the boundary: bytes, numbers and functions, laid out as C lays them out.
//!
//! `include/repertoire_plugin.h` is written from this file.

use std::ffi::c_void;

/// The first eight bytes of a table, as a number.
pub const REPERTOIRE_MAGIC: u64 = 0x7265_7065_7274_6f69;

/// The version of this boundary that decides: a host refuses a plugin of another major version.
pub const REPERTOIRE_ABI_MAJOR: u16 = 1;

/// The version of this boundary that only adds: hosts and plugins of one major version understand each other.
pub const REPERTOIRE_ABI_MINOR: u16 = 0;

/// The version of the messages.
pub const REPERTOIRE_SCHEMA: u32 = 1;

/// What a call returns when its reply is the answer.
pub const REPERTOIRE_OK: i32 = 0;

/// What a call returns when its reply is an error message. Any other number but 0 means the same.
pub const REPERTOIRE_ERROR: i32 = 1;

/// Bytes that are lent for the length of a call. They end with `len`, not with a NUL.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RepertoireSlice {
    /// The first byte; may be null where `len` is 0.
    pub ptr: *const u8,
    /// How many there are.
    pub len: usize,
}

/// Bytes that a plugin made: its own until the host gives them back through `free_buffer`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct RepertoireBuffer {
    /// The first byte; may be null where `len` is 0.
    pub ptr: *mut u8,
    /// How many there are.
    pub len: usize,
}

/// Makes a source. The request is a `create` message; on success `made` gets a pointer that is not null.
pub type RepertoireCreate =
    unsafe extern "C" fn(request: RepertoireSlice, made: *mut *mut c_void, reply: *mut RepertoireBuffer) -> i32;

/// Asks a source. The reply is empty until the plugin sets it.
pub type RepertoireCall =
    unsafe extern "C" fn(source: *mut c_void, request: RepertoireSlice, reply: *mut RepertoireBuffer) -> i32;

/// Tells a source something.
pub type RepertoireTell = unsafe extern "C" fn(source: *mut c_void);

/// Takes a buffer back.
pub type RepertoireFree = unsafe extern "C" fn(buffer: RepertoireBuffer);

/// What a plugin can do. It lives as long as the process.
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
    /// Names with blanks between them: `resources` and `changes` are known. Names that a host does not know mean nothing.
    pub features: RepertoireSlice,
    /// Makes a source from its configuration.
    pub create: Option<RepertoireCreate>,
    /// Everything the source has now: an empty request, a `listing` message.
    pub list: Option<RepertoireCall>,
    /// The instructions of one skill: a `key` message, a `body` message.
    pub body: Option<RepertoireCall>,
    /// The files beside them: a `key` message, a `resources` message. May be null without `resources` among the features.
    pub resources: Option<RepertoireCall>,
    /// One of these files: a `file` message, its raw bytes. May be null without `resources` among the features.
    pub resource: Option<RepertoireCall>,
    /// Waits until the source is past a revision, or for so long: a `wait` message, a `waited` message. May be null
    /// without `changes` among the features.
    pub wait: Option<RepertoireCall>,
    /// Ends whatever runs in this source soon, with any result. May be null.
    pub cancel: Option<RepertoireTell>,
    /// Unmakes a source in which nothing runs.
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
    /// Bytes that live as long as the process.
    pub const fn of(bytes: &'static [u8]) -> RepertoireSlice {
        RepertoireSlice { ptr: bytes.as_ptr(), len: bytes.len() }
    }
}

impl RepertoireBuffer {
    /// No bytes.
    pub const EMPTY: RepertoireBuffer = RepertoireBuffer { ptr: std::ptr::null_mut(), len: 0 };
}
