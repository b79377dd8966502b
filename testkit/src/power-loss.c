// Records all writes and syncs of files below POWER_LOSS_ROOT, in order, in all processes that preload this
// library. From the log, `power-loss.ts` builds what a disk can contain after a power loss.
//
// A record is appended after its call has succeeded and before the call returns. A sync covers all records
// that precede its start. The log is locked during every call except syncs.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES_MAX 65536
// The beginning of each complete record. The last record of a process that was killed can be incomplete.
#define MAGIC 0x504f574552000000

// C created · T truncated · W written · S synced · D directory synced · L linked · U unlinked ·
// M directory made · X not supported
struct record {
  uint64_t kind;     // MAGIC and a letter
  uint64_t inode;
  uint64_t position; // in the file; for a truncation, the new size; for a sync, the log's length at its start
  uint64_t length;   // of the following bytes: written data, or a path
};

struct open_file {
  char *path; // NULL if it is not below the root
  dev_t device;
  ino_t inode;
  int is_directory;
};

static const char *root;
static size_t root_length;
static int log_file = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct open_file files[FILES_MAX];

static void give_up(const char *what) {
  dprintf(2, "power-loss: %s: %s\n", what, strerror(errno));
  _exit(99);
}

__attribute__((constructor)) static void begin(void) {
  const char *log_path = getenv("POWER_LOSS_LOG");
  root = getenv("POWER_LOSS_ROOT");
  if (root == NULL || log_path == NULL) return;
  root_length = strlen(root);
  // Child processes must not inherit the file, because a lock belongs to an open file description.
  log_file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) give_up(log_path);
}

static int is_ours(const char *path) {
  if (log_file < 0 || path == NULL || strncmp(path, root, root_length) != 0) return 0;
  return path[root_length] == '/' || path[root_length] == 0;
}

// libuv closes files without this library, so the descriptor may belong to another file now.
static struct open_file *find(int file) {
  struct stat stat;
  if (file < 0 || file >= FILES_MAX || files[file].path == NULL || fstat(file, &stat) != 0) return NULL;
  struct open_file *ours = &files[file];
  return stat.st_dev == ours->device && stat.st_ino == ours->inode ? ours : NULL;
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
  while (flock(log_file, LOCK_EX) != 0)
    if (errno != EINTR) give_up("lock");
}

static void unlock(void) {
  flock(log_file, LOCK_UN);
  pthread_mutex_unlock(&mutex);
}

static void append(char kind, uint64_t inode, uint64_t position, const void *data, size_t length) {
  int error = errno;
  struct record record = {MAGIC | (unsigned char)kind, inode, position, length};
  struct iovec parts[] = {{&record, sizeof record}, {(void *)data, length}};
  if (syscall(SYS_writev, log_file, parts, 2) != (ssize_t)(sizeof record + length)) give_up("log");
  errno = error;
}

static void append_path(char kind, uint64_t inode, const char *path) {
  append(kind, inode, 0, path, strlen(path));
}

// Records that a call was made whose effect this library does not record.
static void append_unknown(const char *call, const struct open_file *file) {
  char words[512];
  int length = snprintf(words, sizeof words, "%s of %s", call, file->path);
  append('X', file->inode, 0, words, length);
}

static int open_ours(const char *path, int flags, mode_t mode) {
  int is_new = 0;
  lock();
  int file = -1;
  if (flags & O_CREAT) {
    file = syscall(SYS_openat, AT_FDCWD, path, flags | O_EXCL, mode);
    is_new = file >= 0;
  }
  if (!is_new && !((flags & O_CREAT) && ((flags & O_EXCL) || errno != EEXIST)))
    file = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (file >= 0 && file < FILES_MAX) {
    struct stat stat;
    if (fstat(file, &stat) != 0) give_up(path);
    free(files[file].path);
    files[file] = (struct open_file){strdup(path), stat.st_dev, stat.st_ino, S_ISDIR(stat.st_mode)};
    if (is_new) append_path('C', stat.st_ino, path);
    else if (flags & O_TRUNC) append('T', stat.st_ino, 0, NULL, 0);
  }
  unlock();
  return file;
}

static int open_any(int directory, const char *path, int flags, mode_t mode) {
  if (is_ours(path)) return open_ours(path, flags, mode);
  return syscall(SYS_openat, directory, path, flags, mode);
}

#define MODE_OF(flags)                                \
  mode_t mode = 0;                                    \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {            \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode = va_arg(rest, mode_t);                      \
    va_end(rest);                                     \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(directory, path, flags, mode);
}

int close(int file) {
  struct open_file *ours = find(file);
  if (ours != NULL) {
    free(ours->path);
    ours->path = NULL;
  }
  return syscall(SYS_close, file);
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t position) {
  struct open_file *ours = find(file);
  if (ours == NULL) return syscall(SYS_pwrite64, file, data, length, position);
  lock();
  ssize_t written = syscall(SYS_pwrite64, file, data, length, position);
  if (written > 0) append('W', ours->inode, position, data, written);
  unlock();
  return written;
}

ssize_t pwrite(int file, const void *data, size_t length, off_t position) {
  return pwrite64(file, data, length, position);
}

ssize_t write(int file, const void *data, size_t length) {
  struct open_file *ours = find(file);
  if (ours == NULL) return syscall(SYS_write, file, data, length);
  lock();
  ssize_t written = syscall(SYS_write, file, data, length);
  // Record the call after the write, because the position in an appended file is not known before.
  if (written > 0) append('W', ours->inode, lseek64(file, 0, SEEK_CUR) - written, data, written);
  unlock();
  return written;
}

int ftruncate64(int file, off64_t length) {
  struct open_file *ours = find(file);
  if (ours == NULL) return syscall(SYS_ftruncate, file, length);
  lock();
  int result = syscall(SYS_ftruncate, file, length);
  if (result == 0) append('T', ours->inode, length, NULL, 0);
  unlock();
  return result;
}

int ftruncate(int file, off_t length) {
  return ftruncate64(file, length);
}

static int sync_by(long call, int file) {
  struct open_file *ours = find(file);
  if (ours == NULL) return syscall(call, file);
  lock();
  off64_t recorded = lseek64(log_file, 0, SEEK_END);
  unlock();
  int result = syscall(call, file);
  if (result != 0) return result;
  lock();
  const char *path = ours->path;
  append(ours->is_directory ? 'D' : 'S', ours->inode, recorded, path, strlen(path));
  unlock();
  return 0;
}

int fsync(int file) {
  return sync_by(SYS_fsync, file);
}

int fdatasync(int file) {
  return sync_by(SYS_fdatasync, file);
}

int unlink(const char *path) {
  if (!is_ours(path)) return syscall(SYS_unlink, path);
  lock();
  int result = syscall(SYS_unlink, path);
  if (result == 0) append_path('U', 0, path);
  unlock();
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!is_ours(path)) return syscall(SYS_mkdir, path, mode);
  lock();
  int result = syscall(SYS_mkdir, path, mode);
  if (result == 0) append_path('M', 0, path);
  unlock();
  return result;
}

int link(const char *from, const char *to) {
  if (!is_ours(to)) return syscall(SYS_link, from, to);
  lock();
  int result = syscall(SYS_link, from, to);
  struct stat stat;
  if (result == 0) {
    if (lstat(to, &stat) != 0) give_up(to);
    append_path('L', stat.st_ino, to);
  }
  unlock();
  return result;
}

// The following calls are not supported. They are recorded, so that the trial fails.

int rename(const char *from, const char *to) {
  int result = syscall(SYS_rename, from, to);
  if (result != 0 || !(is_ours(from) || is_ours(to))) return result;
  lock();
  append_path('X', 0, "rename");
  unlock();
  return result;
}

static void note_unknown(const char *call, int file) {
  struct open_file *ours = find(file);
  if (ours == NULL) return;
  lock();
  append_unknown(call, ours);
  unlock();
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  note_unknown("writev", file);
  return syscall(SYS_writev, file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t position) {
  note_unknown("pwritev", file);
  return syscall(SYS_pwritev, file, parts, count, position, 0);
}

// SQLite maps its shared memory, which it rebuilds after a crash. No other file may be written through a
// mapping.
void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t position) {
  struct open_file *ours = (flags & MAP_ANONYMOUS) ? NULL : find(file);
  if (ours != NULL && (protection & PROT_WRITE) && (flags & MAP_SHARED) && strstr(ours->path, "-shm") == NULL)
    note_unknown("mmap", file);
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, position);
}
