/* The skills of a folder, from a plugin in plain C: every `NAME.md` in it is a skill.
 *
 *   cc -shared -fPIC -I ../../crates/plugin-sdk/include -o libhello_c.so hello.c
 *
 *   [[source]]
 *   kind = "plugin"
 *   name = "hello-c"
 *   path = "libhello_c.so"
 *   options = { folder = "/srv/skills" }
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repertoire_plugin.h"

/* What a host reads before it runs anything. */
REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
    "{\"schema\":1,\"name\":\"hello-c\",\"version\":\"0.1.0\",\"abi\":\"1.0\"}";

/* ---- texts that grow ---- */

typedef struct {
    char *bytes;
    size_t len, room;
} Text;

static int grow(Text *text, size_t more) {
    if (text->len + more <= text->room) return 1;
    size_t room = (text->len + more) * 2;
    char *bytes = realloc(text->bytes, room);
    if (!bytes) return 0;
    text->bytes = bytes;
    text->room = room;
    return 1;
}

static void add_bytes(Text *text, const char *bytes, size_t len) {
    if (grow(text, len)) {
        memcpy(text->bytes + text->len, bytes, len);
        text->len += len;
    }
}

static void add(Text *text, const char *bytes) { add_bytes(text, bytes, strlen(bytes)); }

/* A JSON text. What is no UTF-8 is the host's to refuse. */
static void add_quoted(Text *text, const char *bytes, size_t len) {
    add(text, "\"");
    for (size_t at = 0; at < len; at++) {
        unsigned char c = (unsigned char)bytes[at];
        char escape[8];
        if (c == '"' || c == '\\') {
            escape[0] = '\\', escape[1] = (char)c;
            add_bytes(text, escape, 2);
        } else if (c < 0x20) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            add(text, escape);
        } else {
            add_bytes(text, bytes + at, 1);
        }
    }
    add(text, "\"");
}

/* The text under `name` in a small JSON object, its escapes resolved; null if it is not there. */
static char *text_of(RepertoireSlice json, const char *name) {
    char *copy = malloc(json.len + 1), *found = NULL;
    if (!copy) return NULL;
    memcpy(copy, json.ptr, json.len);
    copy[json.len] = 0;
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
    char *at = strstr(copy, quoted);
    if (at) {
        Text text = {0};
        for (at += strlen(quoted); *at && *at != '"'; at++) {
            /* Paths and keys of files have no other escapes than these two. */
            if (*at == '\\' && at[1]) at++;
            add_bytes(&text, at, 1);
        }
        add_bytes(&text, "", 1);
        found = text.bytes;
    }
    free(copy);
    return found;
}

/* ---- replies ---- */

static int32_t reply_with(RepertoireBuffer *reply, Text text, int32_t status) {
    reply->ptr = (uint8_t *)text.bytes;
    reply->len = text.len;
    return status;
}

static int32_t fail(RepertoireBuffer *reply, const char *kind, const char *message) {
    Text text = {0};
    add(&text, "{\"schema\":1,\"kind\":");
    add_quoted(&text, kind, strlen(kind));
    add(&text, ",\"message\":");
    add_quoted(&text, message, strlen(message));
    add(&text, "}");
    return reply_with(reply, text, REPERTOIRE_ERROR);
}

/* ---- the folder ---- */

typedef struct {
    char *folder;
} Source;

static Text read_file(const char *folder, const char *name) {
    Text text = {0};
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.md", folder, name) >= (int)sizeof path) return text;
    FILE *file = fopen(path, "rb");
    if (!file) return text;
    add(&text, "");
    while (grow(&text, 4096)) {
        size_t more = fread(text.bytes + text.len, 1, 4096, file);
        text.len += more;
        if (more == 0) break;
    }
    fclose(file);
    return text;
}

/* A number that changes with the content. */
static void add_stamp(Text *out, const Text *content) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t at = 0; at < content->len; at++) {
        hash = (hash ^ (unsigned char)content->bytes[at]) * UINT64_C(1099511628211);
    }
    char shown[24];
    snprintf(shown, sizeof shown, "\"%016llx\"", (unsigned long long)hash);
    add(out, shown);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The names of the skills, sorted: a listing has a stable order. */
static char **names_in(const char *folder, size_t *count) {
    char **names = NULL;
    *count = 0;
    DIR *open = opendir(folder);
    struct dirent *entry;
    while (open && (entry = readdir(open))) {
        size_t len = strlen(entry->d_name);
        if (len <= 3 || strcmp(entry->d_name + len - 3, ".md") != 0) continue;
        char **more = realloc(names, (*count + 1) * sizeof *names);
        char *name = malloc(len - 2);
        if (!more || !name) {
            names = more ? more : names;
            free(name);
            break;
        }
        memcpy(name, entry->d_name, len - 3);
        name[len - 3] = 0;
        names = more;
        names[(*count)++] = name;
    }
    if (open) closedir(open);
    if (names) qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* ---- the functions of the table ---- */

static int32_t create(RepertoireSlice request, void **made, RepertoireBuffer *reply) {
    char *folder = text_of(request, "folder");
    if (!folder) return fail(reply, "invalid", "expected an option `folder`");
    Source *source = malloc(sizeof *source);
    if (!source) {
        free(folder);
        return fail(reply, "unavailable", "no memory");
    }
    source->folder = folder;
    *made = source;
    return REPERTOIRE_OK;
}

static int32_t list(void *pointer, RepertoireSlice request, RepertoireBuffer *reply) {
    (void)request;
    Source *source = pointer;
    size_t count;
    char **names = names_in(source->folder, &count);
    Text out = {0};
    add(&out, "{\"schema\":1,\"skills\":[");
    for (size_t at = 0; at < count; at++) {
        Text content = read_file(source->folder, names[at]);
        add(&out, at ? ",{\"key\":" : "{\"key\":");
        add_quoted(&out, names[at], strlen(names[at]));
        add(&out, ",\"stamp\":");
        add_stamp(&out, &content);
        add(&out, ",\"document\":");
        add_quoted(&out, content.bytes, content.len);
        add(&out, "}");
        free(content.bytes);
        free(names[at]);
    }
    free(names);
    add(&out, "]}");
    return reply_with(reply, out, REPERTOIRE_OK);
}

static int32_t body(void *pointer, RepertoireSlice request, RepertoireBuffer *reply) {
    Source *source = pointer;
    char *key = text_of(request, "key");
    /* A key is one that `list` returned. Any other must not become a path. */
    if (!key || strchr(key, '/')) {
        free(key);
        return fail(reply, "not-found", "no such skill");
    }
    Text content = read_file(source->folder, key);
    free(key);
    if (!content.bytes) return fail(reply, "not-found", "no such skill");
    Text out = {0};
    add(&out, "{\"schema\":1,\"stamp\":");
    add_stamp(&out, &content);
    add(&out, ",\"document\":");
    add_quoted(&out, content.bytes, content.len);
    add(&out, "}");
    free(content.bytes);
    return reply_with(reply, out, REPERTOIRE_OK);
}

static void destroy(void *pointer) {
    Source *source = pointer;
    free(source->folder);
    free(source);
}

static void free_buffer(RepertoireBuffer buffer) { free(buffer.ptr); }

REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void) {
    static const RepertoireTable table = {
        .magic = REPERTOIRE_MAGIC,
        .abi_major = REPERTOIRE_ABI_MAJOR,
        .abi_minor = REPERTOIRE_ABI_MINOR,
        .size = sizeof(RepertoireTable),
        .create = create,
        .list = list,
        .body = body,
        .destroy = destroy,
        .free_buffer = free_buffer,
    };
    return &table;
}
