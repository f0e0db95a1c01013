//! The functions of the table, for any [`Documents`].

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use repertoire_core::{ResourcePath, SourceError, SourceErrorKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::abi::{
    REPERTOIRE_ABI_MAJOR, REPERTOIRE_ABI_MINOR, REPERTOIRE_ERROR, REPERTOIRE_MAGIC, REPERTOIRE_OK,
    REPERTOIRE_SCHEMA, RepertoireBuffer, RepertoireSlice, RepertoireTable,
};
use crate::message::{Create, FailureReply, Resources, SkillKey, Wait, Waited};
use crate::{Documents, Pause, PluginConfig};

/// The source behind the pointer of a host.
struct OpenSource<D> {
    documents: D,
    pause: Pause,
}

type Reply = Result<Vec<u8>, SourceError>;

impl RepertoireTable {
    /// Creates the table of a plugin.
    pub const fn new<D: Documents>() -> RepertoireTable {
        RepertoireTable {
            magic: REPERTOIRE_MAGIC,
            abi_major: REPERTOIRE_ABI_MAJOR,
            abi_minor: REPERTOIRE_ABI_MINOR,
            size: size_of::<RepertoireTable>() as u32,
            features: RepertoireSlice::new(D::FEATURES.as_bytes()),
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
        let Create {
            source, options, ..
        } = unsafe { read(&request) }?;
        let documents = D::open(&PluginConfig::new(source, options))?;
        let instance = Box::into_raw(Box::new(OpenSource {
            documents,
            pause: Pause::default(),
        }));
        // SAFETY: the host passes a valid place for a pointer.
        unsafe { made.write(instance.cast()) };
        Ok(Vec::new())
    })
}

unsafe extern "C" fn list<D: Documents>(
    source: *mut c_void,
    _: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    // SAFETY: the host passes a pointer that `create` made.
    answer(reply, || {
        json(&unsafe { instance::<D>(source) }.documents.list()?)
    })
}

unsafe extern "C" fn body<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    // SAFETY: the host keeps to the contract of `call`.
    unsafe {
        call::<D, SkillKey>(source, &request, reply, |source, request| {
            json(&source.documents.body(&request.key)?)
        })
    }
}

unsafe extern "C" fn resources<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    // SAFETY: the host keeps to the contract of `call`.
    unsafe {
        call::<D, SkillKey>(source, &request, reply, |source, request| {
            json(&Resources::new(source.documents.resources(&request.key)?))
        })
    }
}

unsafe extern "C" fn resource<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    // SAFETY: the host keeps to the contract of `call`.
    unsafe {
        call::<D, SkillKey>(source, &request, reply, |source, request| {
            let path = ResourcePath::new(request.path.as_deref().unwrap_or_default());
            let path =
                path.map_err(|error| SourceError::new(SourceErrorKind::Denied, error.to_string()))?;
            source.documents.resource(&request.key, &path)
        })
    }
}

unsafe extern "C" fn wait<D: Documents>(
    source: *mut c_void,
    request: RepertoireSlice,
    reply: *mut RepertoireBuffer,
) -> i32 {
    // SAFETY: the host keeps to the contract of `call`.
    unsafe {
        call::<D, Wait>(
            source,
            &request,
            reply,
            |source,
             Wait {
                 since, patience_ms, ..
             }| {
                let patience = Duration::from_millis(patience_ms);
                json(&Waited::new(source.documents.wait(
                    since,
                    patience,
                    &source.pause,
                )?))
            },
        )
    }
}

unsafe extern "C" fn cancel<D: Documents>(source: *mut c_void) {
    catch_panic(|| {
        // SAFETY: the host passes a pointer that `create` made.
        let source = unsafe { instance::<D>(source) };
        source.pause.cancel();
        source.documents.cancel();
    });
}

unsafe extern "C" fn destroy<D: Documents>(source: *mut c_void) {
    catch_panic(|| {
        // SAFETY: the host passes a pointer that `create` made, once, when no call uses it any more.
        drop(unsafe { Box::from_raw(source.cast::<OpenSource<D>>()) });
    });
}

unsafe extern "C" fn free_buffer(buffer: RepertoireBuffer) {
    if !buffer.ptr.is_null() {
        let bytes = std::ptr::slice_from_raw_parts_mut(buffer.ptr, buffer.len);
        // SAFETY: the host passes a buffer that `answer` made, once.
        drop(unsafe { Box::from_raw(bytes) });
    }
}

/// Reads a request, and replies with the result of `method`.
///
/// # Safety
/// `source` was made by `create::<D>` and is not destroyed, the request is valid during this call, and `reply` is a valid place.
unsafe fn call<D: Documents, M: DeserializeOwned>(
    source: *mut c_void,
    request: &RepertoireSlice,
    reply: *mut RepertoireBuffer,
    method: impl FnOnce(&OpenSource<D>, M) -> Reply,
) -> i32 {
    // SAFETY: as the caller's.
    answer(reply, || {
        method(unsafe { instance::<D>(source) }, unsafe { read(request) }?)
    })
}

/// # Safety
/// `source` was made by `create::<D>` and is not destroyed.
unsafe fn instance<'a, D>(source: *mut c_void) -> &'a OpenSource<D> {
    // SAFETY: as above; no code makes an exclusive reference before `destroy`.
    unsafe { &*source.cast::<OpenSource<D>>() }
}

/// Parses a request out of the host's memory.
///
/// # Safety
/// `request` is valid during this call.
unsafe fn read<M: DeserializeOwned>(request: &RepertoireSlice) -> Result<M, SourceError> {
    let bytes = if request.len == 0 {
        &[]
    } else {
        // SAFETY: as above, and not null if there are bytes.
        unsafe { std::slice::from_raw_parts(request.ptr, request.len) }
    };
    let RequestSchema { schema } = parse(bytes)?;
    if schema > REPERTOIRE_SCHEMA {
        return Err(SourceError::invalid(format!(
            "expected messages of schema {REPERTOIRE_SCHEMA}, found {schema}"
        )));
    }
    parse(bytes)
}

fn parse<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, SourceError> {
    let parsed = serde_json::from_slice(bytes);
    parsed
        .map_err(|error| SourceError::invalid("the request cannot be understood").caused_by(error))
}

#[derive(Deserialize)]
struct RequestSchema {
    schema: u32,
}

fn json(message: &impl Serialize) -> Reply {
    serde_json::to_vec(message)
        .map_err(|error| SourceError::invalid("the reply cannot be written").caused_by(error))
}

/// Writes the bytes, the error or the panic of `call` to `reply`.
fn answer(reply: *mut RepertoireBuffer, call: impl FnOnce() -> Reply) -> i32 {
    let replied = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(panicked(panic)));
    let (bytes, status) = match replied {
        Ok(bytes) => (bytes, REPERTOIRE_OK),
        Err(error) => (
            serde_json::to_vec(&FailureReply::new(&error)).unwrap_or_default(),
            REPERTOIRE_ERROR,
        ),
    };
    let len = bytes.len();
    let ptr = Box::into_raw(bytes.into_boxed_slice()).cast::<u8>();
    // SAFETY: the host passes a valid place for a buffer.
    unsafe { reply.write(RepertoireBuffer { ptr, len }) };
    status
}

fn catch_panic(work: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
        panicked(panic);
    }
}

fn panicked(panic: Box<dyn Any + Send>) -> SourceError {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = match text {
        Some(text) => format!("it panicked: {text}"),
        None => "it panicked without a message".to_owned(),
    };
    let error = SourceError::new(SourceErrorKind::Other, message);
    // Its destructor may panic outside of any handler.
    std::mem::forget(panic);
    error
}

#[cfg(test)]
mod tests;
