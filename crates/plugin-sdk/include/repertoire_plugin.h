/* The boundary between hosts of skills and plugins that bring them.
 *
 * Written from `plugin-sdk/src/abi.rs` by `cargo xtask gen`. The messages are described in `plugin-sdk/src/message.rs`
 * and in `docs/writing-a-plugin.md`.
 */
#ifndef REPERTOIRE_PLUGIN_H
#define REPERTOIRE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define REPERTOIRE_EXPORT __declspec(dllexport)
#else
#define REPERTOIRE_EXPORT __attribute__((visibility("default")))
#endif

/* The first eight bytes of a table, as a number. */
#define REPERTOIRE_MAGIC UINT64_C(0x7265706572746f69)

/* The major version of this boundary. A host refuses a plugin of another major version. */
#define REPERTOIRE_ABI_MAJOR 1

/* The minor version of this boundary. Hosts and plugins of one major version are compatible. */
#define REPERTOIRE_ABI_MINOR 0

/* The version of the messages. */
#define REPERTOIRE_SCHEMA 1

/* The status of a call whose reply is the result. */
#define REPERTOIRE_OK 0

/* The status of a call whose reply is an error message. Any other number but 0 means the same. */
#define REPERTOIRE_ERROR 1

/* Bytes that are valid during a call. They have no NUL at the end. */
typedef struct RepertoireSlice {
    /* The first byte; may be null where `len` is 0. */
    const uint8_t *ptr;
    /* The number of bytes. */
    size_t len;
} RepertoireSlice;

/* Bytes that a plugin made and owns until the host passes them to `free_buffer`. */
typedef struct RepertoireBuffer {
    /* The first byte; may be null where `len` is 0. */
    uint8_t *ptr;
    /* The number of bytes. */
    size_t len;
} RepertoireBuffer;

/* Makes a source. The request is a `create` message; on success `made` gets a pointer that is not null. */
typedef int32_t (*RepertoireCreate)(RepertoireSlice request, void **made, RepertoireBuffer *reply);

/* Asks a source. The reply is empty until the plugin sets it. */
typedef int32_t (*RepertoireCall)(void *source, RepertoireSlice request, RepertoireBuffer *reply);

/* Notifies a source. */
typedef void (*RepertoireTell)(void *source);

/* Takes a buffer back. */
typedef void (*RepertoireFree)(RepertoireBuffer buffer);

/* The functions of a plugin. The table lives as long as the process.
 *
 * The host makes one call of a source at a time, on any thread. Two functions may run beside it: `wait`, itself once at
 * a time, and `cancel`.
 */
typedef struct RepertoireTable {
    /* `REPERTOIRE_MAGIC`. */
    uint64_t magic;
    /* `REPERTOIRE_ABI_MAJOR`. */
    uint16_t abi_major;
    /* `REPERTOIRE_ABI_MINOR`. */
    uint16_t abi_minor;
    /* The size of this table in bytes. Later minor versions only add fields at the end. */
    uint32_t size;
    /* Names separated by blanks: `resources` and `changes`. A host ignores unknown names. */
    RepertoireSlice features;
    /* Makes a source from its configuration. */
    RepertoireCreate create;
    /* Lists all skills: an empty request, a `listing` message. */
    RepertoireCall list;
    /* Reads the instructions of one skill: a `key` message, a `body` message. */
    RepertoireCall body;
    /* Lists the files beside them: a `key` message, a `resources` message. May be null without the feature `resources`. */
    RepertoireCall resources;
    /* Reads one of these files: a `file` message, its raw bytes. May be null without the feature `resources`. */
    RepertoireCall resource;
    /* Waits for a later revision, at most for a time: a `wait` message, a `waited` message. May be null without the feature
     * `changes`.
     */
    RepertoireCall wait;
    /* Ends the calls in progress soon, with any result. May be null. */
    RepertoireTell cancel;
    /* Frees a source without calls in progress. */
    RepertoireTell destroy;
    /* Takes back a buffer that a call replied with, unless its pointer is null. */
    RepertoireFree free_buffer;
} RepertoireTable;

/* What a plugin exports: this function, which is asked once, and bytes that are read from the file without running it, as in
 *
 *   REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
 *       "{\"schema\":1,\"name\":\"acme\",\"version\":\"1.0.0\",\"abi\":\"1.0\"}";
 */
REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void);
REPERTOIRE_EXPORT extern const char repertoire_plugin_note[];

#ifdef __cplusplus
}
#endif

#endif /* REPERTOIRE_PLUGIN_H */
