// File marks: the labels of files, for drivers that copy files between places (commit and undo of a copy-on-write
// workspace) and for runs that belong to no process.

import type { FileLabels } from "./label.ts";

/** A mark that a commit put on a file of a project. Both are labels as text. */
export interface CarriedMark {
  /** Below the project. */
  readonly path: string;
  /** Null where there was none. */
  readonly before: string | null;
  readonly put: string;
}

/** A workspace that is a copy, and the folder that it is a copy of. */
export interface CopyPlace {
  readonly tree: string;
  /** A real path of the machine. */
  readonly project: string;
}

/** Who keeps the marks of files: the kernel. */
export interface MarkKeeper {
  /** Puts the marks of files of the copy on the same files of the project. They are durable when it resolves. */
  carryMarks(place: CopyPlace, paths: readonly string[]): Promise<CarriedMark[]>;
  /** Puts back what was there before, except where another writer has marked the file since. */
  takeBackMarks(place: CopyPlace, marks: readonly CarriedMark[]): Promise<void>;
}

/** What is asked about files of the machine for a program of the operator, which runs for no process. */
export interface MachineFiles {
  /** Whether no rule that binds everybody forbids to read a file. */
  readableFiles(): Promise<(path: string) => boolean>;
  /** The labels of files below a folder; undefined where none can have one. */
  fileLabels(folder: string): Promise<FileLabels | undefined>;
}
