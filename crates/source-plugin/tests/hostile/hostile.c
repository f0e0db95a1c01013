/* A plugin that misbehaves as its options say: `act` is what it does, `door` where, and `once` a file that is made then;
 * while it is there the plugin is fine. Without options it has one skill, `fine`. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "repertoire_plugin.h"

#ifndef NOTE_ABI
#define NOTE_ABI "1.0"
#endif
#ifndef TABLE_MAGIC
#define TABLE_MAGIC REPERTOIRE_MAGIC
#endif
#ifndef TABLE_MAJOR
#define TABLE_MAJOR 1
#endif
#ifndef TABLE_MINOR
#define TABLE_MINOR 0
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(RepertoireTable)
#endif
#ifndef TABLE_LIST
#define TABLE_LIST list
#endif

#ifndef WITHOUT_NOTE
REPERTOIRE_EXPORT const char repertoire_plugin_note[] =
    "{\"schema\":1,\"name\":\"hostile\",\"version\":\"0.0.1\",\"abi\":\"" NOTE_ABI "\"}";
#endif

typedef struct {
    char act[32], door[16], once[512];
    volatile int cancelled;
} Source;

/* How many buffers are out; the host must give each back once. */
static volatile long out;

static void read_option(RepertoireSlice json, const char *name, char *into, size_t room) {
    char quoted[64], *copy = calloc(1, json.len + 1), *at;
    memcpy(copy, json.ptr, json.len);
    snprintf(quoted, sizeof quoted, "\"%s\":\"", name);
    if ((at = strstr(copy, quoted))) {
        at += strlen(quoted);
        size_t len = strcspn(at, "\"");
        if (len >= room) len = room - 1;
        memcpy(into, at, len);
    }
    free(copy);
}

static int32_t say_bytes(RepertoireBuffer *reply, const char *bytes, size_t len, int32_t status) {
    reply->ptr = malloc(len ? len : 1);
    memcpy(reply->ptr, bytes, len);
    reply->len = len;
    __sync_fetch_and_add(&out, 1);
    return status;
}

static int32_t say(RepertoireBuffer *reply, const char *text) { return say_bytes(reply, text, strlen(text), 0); }

static void *spin(void *value) {
    for (;;) pause();
    return value;
}

static void *burn(void *value) {
    for (volatile int i = 0;; i++) {}
    return value;
}

#define ROW(name) "{\"key\":\"" name "\",\"stamp\":\"1\",\"document\":\"---\\nname: " name "\\ndescription: One.\\n---\\n\"}"

/* Whether the call was answered by misbehaving. */
static int misbehaves(Source *source, const char *door, RepertoireBuffer *reply, int32_t *status) {
    const char *act = source->act;
    if (!*act || strcmp(source->door, door)) return 0;
    if (*source->once) {
        if (access(source->once, F_OK) == 0) return 0;
        FILE *made = fopen(source->once, "w");
        if (made) fclose(made);
    }
    *status = 0;
    if (!strcmp(act, "hang")) for (;;) pause();
    if (!strcmp(act, "loop")) for (volatile int i = 0;; i++) {}
    if (!strcmp(act, "exit")) exit(7);
    if (!strcmp(act, "abort")) abort();
    if (!strcmp(act, "segfault")) *(volatile int *)8 = 1;
    if (!strcmp(act, "hog")) {
        for (;;) {
            char *more = malloc(16 << 20);
            if (!more) {
                fprintf(stderr, "no memory is left");
                abort();
            }
            memset(more, 1, 16 << 20);
        }
    }
    if (!strcmp(act, "late")) {
        while (!source->cancelled) usleep(1000);
        return 0;
    }
    if (!strcmp(act, "threads")) {
        for (int i = 0; i < 8; i++) {
            pthread_t thread;
            pthread_create(&thread, 0, spin, 0);
        }
        return 0;
    }
    if (!strcmp(act, "burn")) {
        pthread_t thread;
        pthread_create(&thread, 0, burn, 0);
        return 0;
    }
    if (!strcmp(act, "print")) {
        printf("this is no message\n");
        fflush(stdout);
        return 0;
    }
    if (!strcmp(act, "fork")) {
        pid_t child = fork();
        if (child == 0) {
            spin(0);
        }
        FILE *file = fopen(source->once, "w");
        fprintf(file, "%d", (int)child);
        fclose(file);
        return 0;
    }
    if (!strcmp(act, "free-twice")) {
        /* What glibc finds out, and ends the process for. */
        void *volatile twice = malloc(2048), *volatile keep = malloc(2048);
        free(twice);
        free(twice);
        free(keep);
    }
    if (!strcmp(act, "enormous-error")) {
        size_t len = 40000;
        char *text = malloc(len + 64);
        size_t head = (size_t)sprintf(text, "{\"schema\":1,\"kind\":\"denied\",\"message\":\"");
        memset(text + head, 'x', len);
        strcpy(text + head + len, "\"}");
        *status = say_bytes(reply, text, head + len + 2, 1);
        free(text);
    } else if (!strcmp(act, "endless-error")) {
        char *text = calloc(1, 10 << 20);
        *status = say_bytes(reply, text, 10 << 20, 1);
        free(text);
    } else if (!strcmp(act, "flood")) {
        size_t len = 100 << 20;
        reply->ptr = malloc(len);
        memset(reply->ptr, ' ', len);
        memcpy(reply->ptr, "{\"schema\":1,\"skills\":[]}", 24);
        reply->len = len;
        __sync_fetch_and_add(&out, 1);
    } else if (!strncmp(act, "swarm", 5)) {
        /* Megabytes of small values. */
        const char *small = strstr(act, "text") ? "\"\"," : strstr(act, "map") ? "{\"\":0}," : "{},";
        const char *head = strstr(act, "diagnostics") ? "{\"schema\":1,\"skills\":[],\"diagnostics\":[" : "{\"schema\":1,\"skills\":[";
        size_t count = (6 << 20) / strlen(small), len = strlen(head);
        char *text = malloc(len + count * strlen(small) + 3), *at = text + len;
        strcpy(text, head);
        for (size_t i = 0; i < count; i++, at += strlen(small)) memcpy(at, small, strlen(small));
        memcpy(at - 1, "]}", 2);
        reply->ptr = (uint8_t *)text;
        reply->len = (size_t)(at + 1 - text);
        __sync_fetch_and_add(&out, 1);
    } else if (!strcmp(act, "nowhere")) {
        reply->ptr = 0;
        reply->len = 5;
    } else if (!strcmp(act, "silent-error")) {
        *status = 3;
    } else if (!strcmp(act, "malformed")) {
        say(reply, "{\"schema\":1,\"skills\":[");
    } else if (!strcmp(act, "later")) {
        say(reply, "{\"schema\":2,\"skills\":[]}");
    } else if (!strcmp(act, "bad-utf8")) {
        say(reply, "{\"schema\":1,\"skills\":[{\"key\":\"\xff\",\"stamp\":\"1\",\"document\":\"---\"}]}");
    } else if (!strcmp(act, "duplicates")) {
        say(reply, "{\"schema\":1,\"skills\":[" ROW("twice") "," ROW("fine") "," ROW("twice") "]}");
    } else if (!strcmp(act, "illegal")) {
        say(reply, "{\"schema\":1,\"skills\":[" ROW("../../etc") "," ROW("fine") "," ROW("a\\u202eb") ",7,"
                   "{\"key\":\"..\",\"stamp\":\"1\",\"document\":\"---\\ndescription: One.\\n---\\n\"}]}");
    } else if (!strcmp(act, "climb")) {
        say(reply, "{\"schema\":1,\"files\":[{\"path\":\"../secret\",\"size\":1,\"digest\":\"sha256:"
                   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}]}");
    } else if (!strcmp(act, "diagnostics")) {
        say(reply, "{\"schema\":1,\"skills\":[],\"diagnostics\":[{\"severity\":\"error\",\"code\":\"acme-bad\",\"message\":"
                   "\"a\\u001b[2Jb\",\"path\":\"/etc/passwd\",\"line\":3},{\"severity\":\"fatal\"}]}");
    } else {
        return 0;
    }
    return 1;
}

#define DOOR(name, otherwise)                                                              \
    static int32_t name(void *pointer, RepertoireSlice request, RepertoireBuffer *reply) { \
        (void)request;                                                                     \
        int32_t status;                                                                    \
        if (misbehaves(pointer, #name, reply, &status)) return status;                     \
        return say(reply, otherwise);                                                      \
    }

DOOR(list, "{\"schema\":1,\"revision\":1,\"later\":true,\"skills\":[" ROW("fine") "]}")
DOOR(body, "{\"schema\":1,\"stamp\":\"1\",\"document\":\"---\\nname: fine\\ndescription: One.\\n---\\nBe fine.\\n\"}")
DOOR(resources, "{\"schema\":1,\"files\":[]}")
DOOR(resource, "bytes")

static int32_t wait_for(void *pointer, RepertoireSlice request, RepertoireBuffer *reply) {
    (void)request;
    Source *source = pointer;
    int32_t status;
    if (misbehaves(source, "wait", reply, &status)) return status;
    for (int i = 0; i < 100 && !source->cancelled; i++) usleep(1000);
    return say(reply, "{\"schema\":1,\"revision\":1}");
}

static void cancel(void *pointer) {
    Source *source = pointer;
    int32_t status;
    source->cancelled = 1;
    misbehaves(source, "cancel", 0, &status);
}

static void destroy(void *pointer) {
    int32_t status;
    misbehaves(pointer, "destroy", 0, &status);
    free(pointer);
}

static void give_back(RepertoireBuffer buffer) {
    /* A buffer that is not out is given back for the second time. */
    if (__sync_fetch_and_sub(&out, 1) <= 0) abort();
    free(buffer.ptr);
}

static int32_t create(RepertoireSlice request, void **made, RepertoireBuffer *reply) {
    Source *source = calloc(1, sizeof *source);
    int32_t status;
    read_option(request, "act", source->act, sizeof source->act);
    read_option(request, "door", source->door, sizeof source->door);
    read_option(request, "once", source->once, sizeof source->once);
    if (misbehaves(source, "create", reply, &status)) return status;
    if (strcmp(source->act, "no-source") != 0) *made = source;
    return 0;
}

#ifndef WITHOUT_ENTRY
REPERTOIRE_EXPORT const RepertoireTable *repertoire_plugin(void) {
    static const char features[] = "resources changes telepathy";
    static struct {
        char before;
        RepertoireTable table;
        void *later[4];
    } place;
    place.table = (RepertoireTable){
        TABLE_MAGIC, TABLE_MAJOR, TABLE_MINOR, TABLE_SIZE, {(const uint8_t *)features, sizeof features - 1},
        create, TABLE_LIST, body, resources, resource, wait_for, cancel, destroy, give_back,
    };
#ifdef MISALIGNED
    return (const RepertoireTable *)((const char *)&place.table + 1);
#endif
    return &place.table;
}
#endif
