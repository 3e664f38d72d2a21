// Errors of the operating system, as sentences for the operator.
import { userInfo } from 'node:os';
import { OperatorError } from './operator-error.ts';

/** The account of this process, for messages about access. */
export function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

/** Why a file or folder cannot be used, to complete a sentence. */
export function describeFileError(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOSPC':
      return 'the disk is full';
    case 'EDQUOT':
      return `the disk quota of the account ${accountName()} is used up`;
    case 'EACCES':
    case 'EPERM':
      return `the account ${accountName()} has no access`;
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'a part of the path is not a folder';
    case 'EISDIR':
      return 'it is a folder';
    default:
      return error.message;
  }
}

/** An error of a file operation that nobody has described yet. Undefined for any other error, which is a defect. */
export function explainSystemError(error: NodeJS.ErrnoException): OperatorError | undefined {
  if (!error.syscall || !error.code || error.syscall === 'connect') return undefined;
  const { path, syscall, code } = error;
  return new OperatorError(`${path ?? syscall}: ${describeFileError(error)} (${code}). Correct this and start again.`);
}
