//! Shared libraries: all code that trusts the memory of a plugin.
//!
//! A library is never unloaded. Its threads, thread-locals with destructors, `atexit` handlers and pointers may be in use longer
//! than its last instance, and unloading would crash each of them. A replaced file is loaded beside the old one. The cost is one
//! mapping for each distinct content that a process has used.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use libloading::Library as Handle;
use parking_lot::Mutex;
use repertoire_core::{Digest, SourceError, SourceErrorKind};
use repertoire_plugin_sdk::abi::{
    ENTRY, REPERTOIRE_ABI_MAJOR, REPERTOIRE_MAGIC, REPERTOIRE_OK, RepertoireBuffer, RepertoireCall,
    RepertoireCreate, RepertoireFree, RepertoirePlugin, RepertoireSlice, RepertoireTable,
    RepertoireTell,
};

use crate::backend::{PluginBackend, PluginMethod, SMALL_REPLY_BYTES, reply_error, too_large};
use crate::copy::PrivateCopy;
use crate::file::PluginFile;
use crate::{Inspection, PluginError};

/// A loaded library with a checked table, until the process ends.
#[derive(Debug)]
pub(crate) struct Library {
    features: String,
    create: RepertoireCreate,
    list: RepertoireCall,
    body: RepertoireCall,
    resources: Option<RepertoireCall>,
    resource: Option<RepertoireCall>,
    wait: Option<RepertoireCall>,
    cancel: Option<RepertoireTell>,
    destroy: RepertoireTell,
    free: RepertoireFree,
}

/// The libraries of this process, by content.
static LOADED: Mutex<BTreeMap<Digest, &'static Library>> = Mutex::new(BTreeMap::new());

/// The fields that every version of the table begins with.
#[repr(C)]
struct Header {
    magic: u64,
    abi_major: u16,
    abi_minor: u16,
    size: u32,
}

const MAX_FEATURES_BYTES: usize = 4096;

impl Library {
    /// Loads the bytes that were read from `file`, which runs the library's constructors.
    pub(crate) fn load(file: &PluginFile) -> Result<&'static Library, PluginError> {
        if let Some(library) = LOADED.lock().get(&file.digest) {
            return Ok(library);
        }
        Inspection::from_file(file)?;
        // No lock is held while foreign code runs. Two threads at once load two copies, and both stay.
        let table = open(file).map_err(|reason| PluginError::not_loaded(&file.path, &reason))?;
        let library = Library::new(table)
            .map_err(|reason| PluginError::invalid_table(&file.path, &reason))?;
        Ok(LOADED
            .lock()
            .entry(file.digest)
            .or_insert(Box::leak(Box::new(library))))
    }

    fn new(table: *const RepertoireTable) -> Result<Library, String> {
        if table.is_null() {
            return Err("it has no table".to_owned());
        }
        if !table.is_aligned() {
            return Err("its table is not aligned".to_owned());
        }
        // SAFETY: not null and aligned; that at least these sixteen bytes can be read is the plugin's word.
        let Header {
            magic,
            abi_major,
            abi_minor,
            size,
        } = unsafe { ptr::read(table.cast::<Header>()) };
        if magic != REPERTOIRE_MAGIC {
            return Err(format!(
                "its table begins with {magic:#018x}, and not with {REPERTOIRE_MAGIC:#018x}"
            ));
        }
        if abi_major != REPERTOIRE_ABI_MAJOR {
            return Err(format!(
                "it was built for boundary {abi_major}.{abi_minor}, and this host has major version {REPERTOIRE_ABI_MAJOR}"
            ));
        }
        if (size as usize) < size_of::<RepertoireTable>() {
            let whole = size_of::<RepertoireTable>();
            return Err(format!(
                "its table is truncated: expected at least {whole} bytes, found {size}"
            ));
        }
        // SAFETY: not null, aligned, and by its own size as long as the table of 1.0. The functions may be null.
        let table = unsafe { ptr::read(table) };
        let RepertoireTable {
            features,
            create,
            list,
            body,
            resources,
            resource,
            wait,
            cancel,
            destroy,
            free_buffer,
            ..
        } = table;
        Ok(Library {
            features: read_features(features)?,
            create: create.ok_or("its table lacks `create`")?,
            list: list.ok_or("its table lacks `list`")?,
            body: body.ok_or("its table lacks `body`")?,
            destroy: destroy.ok_or("its table lacks `destroy`")?,
            free: free_buffer.ok_or("its table lacks `free_buffer`")?,
            resources,
            resource,
            wait,
            cancel,
        })
    }

    /// Copies a reply, and gives its buffer back in each case.
    fn take(&self, reply: RepertoireBuffer, limit: usize) -> Result<Vec<u8>, SourceError> {
        if reply.ptr.is_null() {
            return match reply.len {
                0 => Ok(Vec::new()),
                length => Err(SourceError::invalid(format!(
                    "the plugin replied with {length} bytes at a null pointer"
                ))),
            };
        }
        let copied = if reply.len > limit {
            Err(too_large(reply.len, limit))
        } else {
            // SAFETY: not null; that the plugin made so many bytes, and leaves them alone until they are given back, is
            // what the boundary promises.
            Ok(unsafe { std::slice::from_raw_parts(reply.ptr, reply.len) }.to_vec())
        };
        // SAFETY: the buffer is what a call of this library replied, and it is given back this once.
        unsafe { (self.free)(reply) };
        copied
    }
}

/// Loads a private copy and returns its table.
fn open(file: &PluginFile) -> Result<*const RepertoireTable, String> {
    let copy = PrivateCopy::new(file).map_err(|error| error.to_string())?;
    // SAFETY: loading runs the library's constructors. Its owner approved this very content, which is the only thing
    // that makes running it right.
    let handle = unsafe { load(&copy) }.map_err(|error| error.to_string())?;
    // SAFETY: the type is the one that the boundary gives to a function of this name.
    let entry = unsafe { handle.get::<RepertoirePlugin>(ENTRY) }
        .map(|entry| *entry)
        .map_err(|error| error.to_string());
    // The library has run, so it stays even if the entry is missing.
    std::mem::forget(handle);
    copy.release();
    let entry = entry?;
    // SAFETY: the function takes nothing; that it returns a table or null, and lets no panic out, is what the boundary
    // promises.
    Ok(unsafe { entry() })
}

/// # Safety
/// Runs foreign code: see [`open`].
#[cfg(unix)]
unsafe fn load(copy: &PrivateCopy) -> Result<Handle, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

    // With lazy binding, a missing symbol would end the process later.
    // SAFETY: as the caller's.
    unsafe { Library::open(Some(copy.path()), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

/// # Safety
/// Runs foreign code: see [`open`].
#[cfg(not(unix))]
unsafe fn load(copy: &PrivateCopy) -> Result<Handle, libloading::Error> {
    // SAFETY: as the caller's.
    unsafe { Handle::new(copy.path()) }
}

fn read_features(features: RepertoireSlice) -> Result<String, String> {
    if features.len == 0 {
        return Ok(String::new());
    }
    if features.ptr.is_null() || features.len > MAX_FEATURES_BYTES {
        return Err("its list of features is not text".to_owned());
    }
    // SAFETY: not null; that so many bytes are there for as long as the process lives is what the boundary promises.
    let bytes = unsafe { std::slice::from_raw_parts(features.ptr, features.len) };
    String::from_utf8(bytes.to_vec()).map_err(|_| "its list of features is not text".to_owned())
}

/// A source that a library made in this process.
#[derive(Debug)]
pub(crate) struct LoadedInstance {
    library: &'static Library,
    source: NonNull<c_void>,
}

// SAFETY: the boundary promises that a source may be used from any thread, one call at a time beside `wait` and `cancel`;
// and callers of a backend follow that.
unsafe impl Send for LoadedInstance {}
// SAFETY: as above.
unsafe impl Sync for LoadedInstance {}

impl LoadedInstance {
    /// Calls `create` of the library; `request` is a `create` message.
    pub(crate) fn create(
        library: &'static Library,
        request: &[u8],
    ) -> Result<LoadedInstance, SourceError> {
        let (mut made, mut reply) = (ptr::null_mut(), RepertoireBuffer::EMPTY);
        // SAFETY: the request outlives the call, and both places are valid.
        let status = unsafe { (library.create)(lend(request), &mut made, &mut reply) };
        let reply = library.take(reply, SMALL_REPLY_BYTES)?;
        if status != REPERTOIRE_OK {
            return Err(reply_error(&reply));
        }
        let source = NonNull::new(made)
            .ok_or_else(|| SourceError::invalid("the plugin made no source and no error"))?;
        Ok(LoadedInstance { library, source })
    }
}

fn lend(bytes: &[u8]) -> RepertoireSlice {
    RepertoireSlice {
        ptr: bytes.as_ptr(),
        len: bytes.len(),
    }
}

impl PluginBackend for LoadedInstance {
    fn features(&self) -> &str {
        &self.library.features
    }

    fn call(&self, method: PluginMethod, request: &[u8]) -> Result<Vec<u8>, SourceError> {
        let call = match method {
            PluginMethod::List => Some(self.library.list),
            PluginMethod::Body => Some(self.library.body),
            PluginMethod::Resources => self.library.resources,
            PluginMethod::Resource => self.library.resource,
            PluginMethod::Wait => self.library.wait,
        };
        let call = call.ok_or_else(|| {
            SourceError::new(
                SourceErrorKind::Unsupported,
                "the plugin offers nothing of the kind",
            )
        })?;
        let mut reply = RepertoireBuffer::EMPTY;
        // SAFETY: the source lives as long as `self`, the request outlives the call, and the place is valid.
        let status = unsafe { call(self.source.as_ptr(), lend(request), &mut reply) };
        if status == REPERTOIRE_OK {
            return self.library.take(reply, method.limit());
        }
        // An error message that exceeds the limit is an error in each case.
        Err(self
            .library
            .take(reply, method.limit())
            .map_or_else(|error| error, |reply| reply_error(&reply)))
    }

    fn stop(&self) {
        if let Some(cancel) = self.library.cancel {
            // SAFETY: the source lives as long as `self`; the boundary lets this run beside anything.
            unsafe { cancel(self.source.as_ptr()) };
        }
    }

    fn is_alive(&self) -> bool {
        true
    }
}

impl Drop for LoadedInstance {
    fn drop(&mut self) {
        // SAFETY: made by `create`, and nothing can run in it any more: every call borrows `self`.
        unsafe { (self.library.destroy)(self.source.as_ptr()) };
    }
}
