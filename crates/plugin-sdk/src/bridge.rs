//! The functions of a table, for any [`Documents`].

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use repertoire_core::{ResourcePath, SourceError, SourceErrorKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::abi::{
    REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_ERROR, REPERTOIRE_MAGIC, REPERTOIRE_OK, RepertoireBuffer,
    RepertoireSlice, RepertoireTable,
};
use crate::message::{Create, Failure, FileKey, Key, Resources, SCHEMA, Wait, Waited};
use crate::{Config, Documents, Pause};

/// What a pointer to a source points to.
struct Guest<D> {
    documents: D,
    pause: Pause,
}

type Reply = Result<Vec<u8>, SourceError>;

impl RepertoireTable {
    /// The table of a plugin.
    pub const fn of<D: Documents>() -> RepertoireTable {
        RepertoireTable {
            magic: REPERTOIRE_MAGIC,
            abi_major: REPERTOIRE_ABI_MAJOR,
            abi_minor: REPERTOIRE_ABI_MINOR,
            size: size_of::<RepertoireTable>() as u32,
            features: RepertoireSlice::of(D::FEATURES.as_bytes()),
            create: Some(create::<D>),
            list: Some(list::<D>),
            body: Some(body::<D>),
            resources: Some(resources::<D>),
            resource: Some(resource::<D>),
            wait: Some(wait::<D>),
            cancel: Some(cancel::<D>),
            destroy: Some(destroy::<D>),
            free_buffer: Some(free_buffer),
        }
    }
}

unsafe extern "C" fn create<D: Documents>(
    request: RepertoireSlice,
    made: *mut *mut c_void,
    reply: *mut RepertoireBuffer,
) -> i32 {
    answer(reply, || {
        // SAFETY: the host lends the request for the length of this call.
        let request: Create = unsafe { read(&request) }?;
        let documents = D::open(&Config::from(request))?;
        let guest = Box::into_raw(Box::new(Guest { documents, pause: Pause::default() }));
        // SAFETY: the host gives a place for a pointer.
        unsafe { made.write(guest.cast()) };
        Ok(Vec::new())
    })
}

unsafe extern "C" fn list<D: Documents>(source: *mut c_void, _: RepertoireSlice, reply: *mut RepertoireBuffer) -> i32 {
    // SAFETY: the host gives a pointer that `create` made.
    answer(reply, || written(&unsafe { guest::<D>(source) }.documents.list()?))
}

unsafe extern "C" fn body<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    answer(reply, || {
        // SAFETY: the host lends the request for the length of this call.
        let request: Key = unsafe { read(&request) }?;
        // SAFETY: the host gives a pointer that `create` made.
        written(&unsafe { guest::<D>(source) }.documents.body(&request.key)?)
    })
}

unsafe extern "C" fn resources<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    answer(reply, || {
        // SAFETY: the host lends the request for the length of this call.
        let request: Key = unsafe { read(&request) }?;
        // SAFETY: the host gives a pointer that `create` made.
        written(&Resources::new(unsafe { guest::<D>(source) }.documents.resources(&request.key)?))
    })
}

unsafe extern "C" fn resource<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    answer(reply, || {
        // SAFETY: the host lends the request for the length of this call.
        let request: FileKey = unsafe { read(&request) }?;
        let path = ResourcePath::new(&request.path);
        let path = path.map_err(|error| SourceError::new(SourceErrorKind::Denied, error.to_string()))?;
        // SAFETY: the host gives a pointer that `create` made.
        unsafe { guest::<D>(source) }.documents.resource(&request.key, &path)
    })
}

unsafe extern "C" fn wait<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    answer(reply, || {
        // SAFETY: the host lends the request for the length of this call.
        let Wait { since, patience_ms, .. } = unsafe { read(&request) }?;
        // SAFETY: the host gives a pointer that `create` made.
        let guest = unsafe { guest::<D>(source) };
        let revision = guest.documents.wait(since, Duration::from_millis(patience_ms), &guest.pause)?;
        written(&Waited::new(revision))
    })
}

unsafe extern "C" fn cancel<D: Documents>(source: *mut c_void) {
    contained(|| {
        // SAFETY: the host gives a pointer that `create` made.
        let guest = unsafe { guest::<D>(source) };
        guest.pause.cancel();
        guest.documents.cancel();
    });
}

unsafe extern "C" fn destroy<D: Documents>(source: *mut c_void) {
    contained(|| {
        // SAFETY: the host gives a pointer that `create` made, once, when nothing uses it any more.
        drop(unsafe { Box::from_raw(source.cast::<Guest<D>>()) });
    });
}

unsafe extern "C" fn free_buffer(buffer: RepertoireBuffer) {
    if !buffer.ptr.is_null() {
        let bytes = std::ptr::slice_from_raw_parts_mut(buffer.ptr, buffer.len);
        // SAFETY: the host gives a buffer that `answer` made, once.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// The source behind a pointer.
///
/// # Safety
/// `source` was made by `create::<D>` and is not destroyed.
unsafe fn guest<'a, D>(source: *mut c_void) -> &'a Guest<D> {
    // SAFETY: as above; nothing makes an exclusive reference before `destroy`.
    unsafe { &*source.cast::<Guest<D>>() }
}

/// A request, copied out of the host's memory.
///
/// # Safety
/// `request` is valid while this runs.
unsafe fn read<M: DeserializeOwned>(request: &RepertoireSlice) -> Result<M, SourceError> {
    let bytes = if request.len == 0 {
        &[]
    } else {
        // SAFETY: as above, and not null where there are bytes.
        unsafe { std::slice::from_raw_parts(request.ptr, request.len) }
    };
    let not_understood = |error| SourceError::invalid("the request cannot be understood").caused_by(error);
    let Version { schema } = serde_json::from_slice(bytes).map_err(not_understood)?;
    if schema > SCHEMA {
        return Err(SourceError::invalid(format!("expected messages of schema {SCHEMA}, found {schema}")));
    }
    serde_json::from_slice(bytes).map_err(not_understood)
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

fn written(message: &impl Serialize) -> Reply {
    serde_json::to_vec(message).map_err(|error| SourceError::invalid("the reply cannot be written").caused_by(error))
}

/// Runs `call`, and puts what it gives into `reply`: its bytes, its error, or what it said when it panicked.
fn answer(reply: *mut RepertoireBuffer, call: impl FnOnce() -> Reply) -> i32 {
    let replied = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(panicked(panic)));
    let (bytes, status) = match replied {
        Ok(bytes) => (bytes, REPERTOIRE_OK),
        Err(error) => (serde_json::to_vec(&Failure::of(&error)).unwrap_or_default(), REPERTOIRE_ERROR),
    };
    let len = bytes.len();
    let ptr = Box::into_raw(bytes.into_boxed_slice()).cast::<u8>();
    // SAFETY: the host gives a place for a buffer.
    unsafe { reply.write(RepertoireBuffer { ptr, len }) };
    status
}

/// Runs what has no way to say that it failed.
fn contained(work: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        panicked(panic);
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> SourceError {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let error =
        SourceError::new(SourceErrorKind::Other, format!("it panicked: {}", said.unwrap_or("it did not say why")));
    // Its destructor may panic in its turn, with nobody to catch it.
    std::mem::forget(panic);
    error
}

#[cfg(test)]
mod tests;
