// Folder: an open folder of the machine, and the operations on the names in it.
//
//   await using src = await top.into("src");
//   await src.rename("a", src, "b");
//
// FOLDER-1  A name is one segment, so no path can be redirected meanwhile: a folder that was replaced by a link is
//     not entered.
// FOLDER-2  No link is followed. Only regular files are opened; a pipe does not block.
// FOLDER-3  A created file is new: an existing file is never opened for writing.
//
// On Linux a name is reached through the descriptor of its folder (/proc/self/fd). Elsewhere it is reached through
// the path after a check, which is weaker, since the path may be replaced in between.

import { type BigIntStats, constants, lstatSync } from "node:fs";
import * as fs from "node:fs/promises";
import { SysError } from "@aos/protocol";
import { isIn } from "./mapping.ts";

/** Bytes where the name is not text. */
export type EntryName = string | Buffer;

export type EntryKind = "file" | "folder" | "link" | "other";

/** Told before every change to a file of the machine; tests stop here. */
export type ChangeHook = (what: string) => void;

/** Not among Node's constants. */
const O_PATH = 0o10_000_000;
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const HAS_DESCRIPTORS = process.platform === "linux";
const SPECIAL_BITS = 0o7000n;

export class Folder implements AsyncDisposable {
  /** For messages and for folders that are ours; what is in it is reached by descriptor. */
  readonly path: string;
  readonly #handle: fs.FileHandle;
  readonly #identity: string;
  readonly #step: ChangeHook | undefined;

  private constructor(path: string, handle: fs.FileHandle, identity: string, step?: ChangeHook) {
    this.path = path;
    this.#handle = handle;
    this.#identity = identity;
    this.#step = step;
  }

  /** The folder at a path of our own or of the operator's; not through a link at its end. */
  static async open(path: string, step?: ChangeHook): Promise<Folder> {
    return Folder.#hold(path, path, step);
  }

  static async #hold(path: string, way: string | Buffer, step?: ChangeHook): Promise<Folder> {
    const handle = await fs.open(way, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      return new Folder(path, handle, identityOf(await handle.stat({ bigint: true })), step);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  into(name: EntryName): Promise<Folder> {
    return Folder.#hold(`${this.path}/${name.toString()}`, this.#at(name), this.#step);
  }

  /** The folder at the end of so many names, each entered by itself. The caller closes it. */
  async along(names: readonly string[]): Promise<Folder> {
    let folder: Folder = await Folder.#hold(this.path, `${this.#way()}/.`, this.#step);
    for (const name of names) {
      await using above = folder;
      folder = await above.into(name);
    }
    return folder;
  }

  async *names(): AsyncGenerator<Buffer> {
    const listing = await fs.opendir(this.#way(), { encoding: "buffer" as "utf8" });
    for await (const { name } of listing) yield name as unknown as Buffer;
  }

  /** The names with what stands there, as the listing itself says. */
  async entries(): Promise<{ readonly name: Buffer; readonly kind: EntryKind }[]> {
    const listed = await fs.readdir(this.#way(), { withFileTypes: true, encoding: "buffer" });
    return listed.map((one) => ({
      name: one.name,
      kind: one.isDirectory()
        ? "folder"
        : one.isFile()
          ? "file"
          : one.isSymbolicLink()
            ? "link"
            : "other",
    }));
  }

  async look(name: EntryName): Promise<BigIntStats | undefined> {
    return fs.lstat(this.#at(name), { bigint: true }).catch(noneIfMissing);
  }

  lookAtSelf(): Promise<BigIntStats> {
    return this.#handle.stat({ bigint: true });
  }

  linkTarget(name: EntryName): Promise<Buffer> {
    return fs.readlink(this.#at(name), { encoding: "buffer" });
  }

  /** FOLDER-2. */
  async openFile(name: EntryName): Promise<fs.FileHandle> {
    const file = await fs.open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new SysError("EINVAL", `${this.path}/${name.toString()} is not a regular file`);
  }

  /** FOLDER-3. */
  createFile(name: EntryName, mode = 0o600): Promise<fs.FileHandle> {
    this.#step?.(`create ${name.toString()}`);
    return fs.open(this.#at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** Shares the bytes instead of copying them; false where the volume cannot. */
  async cloneFile(file: fs.FileHandle, name: EntryName): Promise<boolean> {
    if (!HAS_DESCRIPTORS) return false;
    this.#step?.(`clone ${name.toString()}`);
    const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = constants;
    const from = `/proc/self/fd/${file.fd}`;
    return fs.copyFile(from, this.#at(name), COPYFILE_EXCL | COPYFILE_FICLONE_FORCE).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (["ENOTSUP", "EOPNOTSUPP", "EXDEV", "EINVAL", "ENOTTY"].includes(error.code ?? ""))
          return false;
        throw error;
      },
    );
  }

  async makeFolder(name: EntryName, mode: number): Promise<void> {
    this.#step?.(`mkdir ${name.toString()}`);
    await fs.mkdir(this.#at(name), { mode });
    await this.setMode(name, mode);
  }

  makeLink(name: EntryName, target: string): Promise<void> {
    this.#step?.(`link ${name.toString()}`);
    return fs.symlink(target, this.#at(name));
  }

  /** Replaces what is there, as the system does: a file or a link by another, at once. */
  rename(name: EntryName, to: Folder, toName: EntryName): Promise<void> {
    this.#step?.(`rename ${toName.toString()}`);
    return fs.rename(this.#at(name), to.#at(toName));
  }

  removeFile(name: EntryName): Promise<void> {
    this.#step?.(`unlink ${name.toString()}`);
    return fs.unlink(this.#at(name));
  }

  removeFolder(name: EntryName): Promise<void> {
    this.#step?.(`rmdir ${name.toString()}`);
    return fs.rmdir(this.#at(name));
  }

  /** Of a file or a folder, never of what a link leads to. Keeps set-user-id and its like as they are. */
  async setMode(name: EntryName, mode: number): Promise<void> {
    this.#step?.(`chmod ${name.toString()}`);
    if (!HAS_DESCRIPTORS) return fs.lchmod(this.#at(name), mode);
    await using held = await fs.open(this.#at(name), O_PATH | O_NOFOLLOW);
    const special = Number((await held.stat({ bigint: true })).mode & SPECIAL_BITS);
    await fs.chmod(`/proc/self/fd/${held.fd}`, special | mode);
  }

  setOwner(name: EntryName, { uid, gid }: { uid: number; gid: number }): Promise<void> {
    this.#step?.(`chown ${name.toString()}`);
    return fs.lchown(this.#at(name), uid, gid);
  }

  setSelfOwner({ uid, gid }: { uid: number; gid: number }): Promise<void> {
    return this.#handle.chown(uid, gid);
  }

  /** The precision of seconds in a double: a quarter of a microsecond. */
  setTime(name: EntryName, mtimeNs: bigint): Promise<void> {
    this.#step?.(`utimes ${name.toString()}`);
    const seconds = Number(mtimeNs) / 1e9;
    return fs.lutimes(this.#at(name), seconds, seconds);
  }

  /** Once it resolves, the names in it are on disk. */
  sync(): Promise<void> {
    return this.#handle.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  #way(): string {
    if (HAS_DESCRIPTORS) return `/proc/self/fd/${this.#handle.fd}`;
    const there = lstatSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (there !== undefined && identityOf(there) === this.#identity) return this.path;
    throw new SysError("EACCES", `${this.path} was replaced while it was in use`);
  }

  #at(name: EntryName): string | Buffer {
    if (!isOnePart(name)) throw new SysError("EINVAL", `${name.toString()} is not a file name`);
    if (typeof name === "string") return `${this.#way()}/${name}`;
    return Buffer.concat([Buffer.from(`${this.#way()}/`), name]);
  }
}

const identityOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

function isOnePart(name: EntryName): boolean {
  const text = typeof name === "string" ? name : name.toString("latin1");
  return text !== "" && text !== "." && text !== ".." && !/[/\0]/.test(text);
}

export function noneIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}

/** Whether one of two real paths is the other or holds it. */
export const overlap = (one: string, other: string): boolean =>
  isIn(one, other) || isIn(other, one);
