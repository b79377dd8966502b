/** Only the operator has access, since the file has the data of all accounts. */
export const FILE_MODE = 0o600;
/** Suffixes of the files that SQLite keeps next to a database. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];
