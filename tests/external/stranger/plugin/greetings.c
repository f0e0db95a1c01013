/* A plugin with two skills, written from `docs/writing-a-plugin.md` and the header.
 *
 *   cc -shared -fPIC -I ../../../../crates/plugin-sdk/include -o libgreetings.so greetings.c
 */
#include <stdlib.h>
#include <string.h>

#include "repertoire_plugin.h"

REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
    "{\"schema\":1,\"name\":\"greetings\",\"version\":\"0.3.0\",\"abi\":\"1.0\"}";

#define MORNING "---\\nname: morning\\ndescription: Greets in the morning.\\n---\\nSay good morning.\\n"
#define EVENING "---\\nname: evening\\ndescription: Greets in the evening.\\n---\\nSay good evening.\\n"

static int32_t reply_with(RepertoireBuffer *reply, const char *text, int32_t status) {
    size_t len = strlen(text);
    reply->ptr = malloc(len);
    if (!reply->ptr) return REPERTOIRE_ERROR;
    memcpy(reply->ptr, text, len);
    reply->len = len;
    return status;
}

static int32_t create(RepertoireSlice request, void **made, RepertoireBuffer *reply) {
    (void)request;
    (void)reply;
    static int source;
    *made = &source;
    return REPERTOIRE_OK;
}

static int32_t list(void *source, RepertoireSlice request, RepertoireBuffer *reply) {
    (void)source;
    (void)request;
    return reply_with(reply,
                      "{\"schema\":1,\"revision\":0,\"skills\":["
                      "{\"key\":\"morning\",\"stamp\":\"1\",\"document\":\"" MORNING "\"},"
                      "{\"key\":\"evening\",\"stamp\":\"1\",\"document\":\"" EVENING "\"}]}",
                      REPERTOIRE_OK);
}

static int32_t body(void *source, RepertoireSlice request, RepertoireBuffer *reply) {
    (void)source;
    char text[256];
    size_t len = request.len < sizeof text - 1 ? request.len : sizeof text - 1;
    memcpy(text, request.ptr, len);
    text[len] = 0;
    if (strstr(text, "\"key\":\"morning\""))
        return reply_with(reply, "{\"schema\":1,\"stamp\":\"1\",\"document\":\"" MORNING "\"}", REPERTOIRE_OK);
    if (strstr(text, "\"key\":\"evening\""))
        return reply_with(reply, "{\"schema\":1,\"stamp\":\"1\",\"document\":\"" EVENING "\"}", REPERTOIRE_OK);
    return reply_with(reply, "{\"schema\":1,\"kind\":\"not-found\",\"message\":\"no such greeting\"}", REPERTOIRE_ERROR);
}

static void destroy(void *source) { (void)source; }

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
