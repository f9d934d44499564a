/*
 * A library for LD_PRELOAD on x86-64 Linux that makes one call fail.
 *
 * FAULTS_FILE names a file of one page that all processes share; see `struct plan`. The counted calls are those that
 * write below FAULTS_FOLDER: write, pwrite, fsync, fdatasync, rename, ftruncate, mkdir, link, unlink, and open with
 * O_CREAT. With `memory_of` they are allocations instead, by the code of libraries whose path contains it, in the main
 * thread of the process `of_process`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Its members are in `walk.py`, too. */
struct plan {
    _Atomic unsigned long count; /* calls so far */
    unsigned long at;            /* the call that fails, from 1; 0: none */
    unsigned long lasting;       /* later calls fail, too */
    unsigned long error;         /* errno */
    unsigned long of_process;    /* 0: writes of all processes are counted, not allocations */
    char memory_of[88];
    char failed[]; /* the call that failed, with its file */
};

static struct plan *plan;
static const char *folder;
static _Thread_local int inside;

#define REAL(name) ({ static void *found; if (!found) found = dlsym(RTLD_NEXT, #name); (typeof(&name))found; })

__attribute__((constructor)) static void start(void)
{
    const char *name = getenv("FAULTS_FILE");

    folder = getenv("FAULTS_FOLDER");
    if (!name || !folder)
        return;
    int file = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *page = (void *)syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (page != MAP_FAILED)
        plan = page;
}

/* Counts a call; whether it fails. */
static int fails(const char *call, const char *path)
{
    unsigned long number = atomic_fetch_add(&plan->count, 1) + 1;

    if (!plan->at || number < plan->at || (number > plan->at && !plan->lasting))
        return 0;
    if (number == plan->at)
        snprintf(plan->failed, 3000, "%s %s", call, path);
    errno = plan->error;
    return 1;
}

static int path_fails(const char *call, const char *path)
{
    if (!plan || plan->of_process || strncmp(path, folder, strlen(folder)))
        return 0;
    return fails(call, path);
}

static int file_fails(const char *call, int file)
{
    char link[64], path[PATH_MAX];

    if (!plan || plan->of_process)
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return path_fails(call, path);
}

ssize_t write(int file, const void *data, size_t size)
{
    return file_fails("write", file) ? -1 : REAL(write)(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    return file_fails("pwrite", file) ? -1 : REAL(pwrite)(file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at)
{
    return file_fails("pwrite", file) ? -1 : REAL(pwrite64)(file, data, size, at);
}

int fsync(int file)
{
    return file_fails("fsync", file) ? -1 : REAL(fsync)(file);
}

int fdatasync(int file)
{
    return file_fails("fdatasync", file) ? -1 : REAL(fdatasync)(file);
}

int ftruncate(int file, off_t size)
{
    return file_fails("ftruncate", file) ? -1 : REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size)
{
    return file_fails("ftruncate", file) ? -1 : REAL(ftruncate64)(file, size);
}

int rename(const char *from, const char *to)
{
    return path_fails("rename", to) ? -1 : REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return path_fails("mkdir", path) ? -1 : REAL(mkdir)(path, mode);
}

int link(const char *from, const char *to)
{
    return path_fails("link", to) ? -1 : REAL(link)(from, to);
}

int unlink(const char *path)
{
    return path_fails("unlink", path) ? -1 : REAL(unlink)(path);
}

#define OPENS(name, path_at, ...)                                                     \
    mode_t mode = 0;                                                                  \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                            \
        va_list rest;                                                                 \
        va_start(rest, flags);                                                        \
        mode = va_arg(rest, mode_t);                                                  \
        va_end(rest);                                                                 \
    }                                                                                 \
    return flags & O_CREAT && path_fails("open", path) ? -1 : REAL(name)(__VA_ARGS__)

int open(const char *path, int flags, ...)
{
    OPENS(open, path, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    OPENS(open64, path, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    OPENS(openat, path, at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...)
{
    OPENS(openat64, path, at, path, flags, mode);
}

/* Whether an allocation by the code at `caller` fails. */
static int allocation_fails(const char *call, size_t size, const void *caller)
{
    Dl_info found;
    char what[PATH_MAX + 64];

    unsigned long process;

    if (!plan || !(process = plan->of_process) || inside)
        return 0;
    if (process != (unsigned long)getpid() || process != (unsigned long)syscall(SYS_gettid))
        return 0;
    inside = 1;
    int failed = 0;
    if (dladdr(caller, &found) && found.dli_fname && strstr(found.dli_fname, plan->memory_of)) {
        snprintf(what, sizeof(what), "%zu bytes for %s", size, found.dli_fname);
        failed = fails(call, what);
    }
    inside = 0;
    if (failed)
        errno = ENOMEM;
    return failed;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    return allocation_fails("malloc", size, __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return allocation_fails("calloc", count * size, __builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return allocation_fails("realloc", size, __builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    if (file < 0 && allocation_fails("mmap", size, __builtin_return_address(0)))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t offset)
{
    return mmap(at, size, protection, flags, file, offset);
}
