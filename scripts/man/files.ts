// The pages of the calls on the virtual file system.

import type { Pages } from "./page.ts";

const PATHS =
  "A path is absolute and plain: no `.`, no `..`, no empty part, no control character, in Unicode form NFC; at most 4,096 characters.";
const MOUNTS =
  "Files live below `/mem/working` (this process's own), `/mem/episodic` (append-only), `/mem/semantic` and `/mem/shared` (the tenant's). `/self/manifest`, `/self/tools`, `/self/input`, `/self/skills`, `/self/instructions` (the AGENTS.md that hold for it) and `/self/narrowing` are read-only and say what the process is; `/skills` has the skills that its manifest names; `/ctx` has what its model was last shown and what was taken out of that, and is read-only ([context](../context.md)); `/work` is the workspace of its tree ([workspaces](../workspaces.md)): to `read`, `write`, `list` and `remove` a file there takes a `file:` grant for it, and is done by the file tool of that name, whose rules hold.";
const NOT_THERE = ["ENOENT", "there is no such file, or nothing is mounted at the path"] as const;
const NOT_PLAIN = ["EINVAL", "the path is not plain"] as const;
const NO_STREAM = ["EINVAL", "neither a path nor an open stream was given"] as const;

export const filePages: Pages<"read" | "write" | "list" | "remove" | "search" | "open" | "close"> =
  {
    read: {
      synopsis:
        "sys.read(path: string): Promise<Json>\nsys.read(fd: number, { length? }): Promise<string>",
      description: [
        "With a path: the whole value that was last written there, as the JSON it was written as.",
        "With a stream from [open](open.md): the next `length` characters of the file's text, and an empty text at its end. A value that is no text is read as its JSON text.",
        MOUNTS,
        "What was written is read again at once, also before it is on the disk. The label of what is read joins the label of the process.",
      ],
      rights:
        "`memory:PATH:read`, also for every piece of a stream. None for `/self/…`, `/skills/…` and `/ctx/…`.",
      errors: [NOT_THERE, NOT_PLAIN, NO_STREAM],
      limits: [PATHS, "A piece of a stream has 65,536 characters unless `length` says otherwise."],
      seeAlso: ["write", "open", "list", "search"],
      alsoKnownAs: "SYS_READ",
    },
    write: {
      synopsis:
        "sys.write(path: string, data: Json): Promise<void>\nsys.write(fd: number, data: string): Promise<void>",
      description: [
        "With a path: puts the value there in place of what it held. With a stream opened to append: adds text to the end of the file.",
        "The file changes in the transaction of the call's record: after a crash either both are there or neither is. A file carries the label of the process that wrote it, who that was, and when.",
        "`/mem/working` ends with the history of the process; everything else stays until it is removed.",
      ],
      rights: "`memory:PATH:write`, also for every addition to a stream.",
      errors: [
        ["EEXIST", "the file is below `/mem/episodic` and is written already"],
        [
          "EINVAL",
          "the path is not plain, is a mount itself, or is below `/self`; or a stream is given something that is no text",
        ],
        ["ENOENT", "nothing is mounted at the path"],
      ],
      limits: [PATHS, "The arguments of one call: 16 MiB (`limits.argumentBytes`)."],
      seeAlso: ["read", "remove", "open"],
      alsoKnownAs: "SYS_WRITE",
    },
    list: {
      synopsis: "sys.list(path: string): Promise<string[]>",
      description: [
        "The full paths of all files at or below the path, at any depth, in the order of their characters. There are no empty folders: a folder is there because a file is.",
      ],
      rights: "`memory:PATH:list`. None for `/self`, and below `/skills` and `/ctx`.",
      errors: [["ENOENT", "nothing is mounted at the path"], NOT_PLAIN],
      limits: [PATHS],
      seeAlso: ["read", "search"],
    },
    remove: {
      synopsis: "sys.remove(path: string): Promise<void>",
      description: [
        "Removes one file, in the transaction of the call's record. What is below `/mem/episodic` is never removed.",
      ],
      rights: "`memory:PATH:remove`.",
      errors: [NOT_THERE, ["EINVAL", "the path is not plain, or is below `/mem/episodic`"]],
      limits: [PATHS],
      seeAlso: ["write", "list"],
    },
    search: {
      synopsis:
        "sys.search(path: string, query: string, { limit? }): Promise<{ path, data, score }[]>",
      description: [
        "The files at or below the path that hold words of the query, best first. `score` is the part of the query's words that a file has, from just above 0 to 1; among equals the path decides. Words are runs of letters and digits, whatever their case.",
        "This is plain counting of words. It reads every file below the path.",
        "At `/ctx/archive`, or one of those below it, the messages that were taken out of the process's own context: `data` has the `role`, the `text` around the words, and the `offset` where the message begins in what `read` gives. Where the words of the query stand there as they were asked for, the score is 1 higher.",
      ],
      rights:
        "`memory:PATH:search`. It also gives the data: no right to read is asked for. None for `/ctx/…`.",
      errors: [["ENOENT", "nothing is mounted at the path"], NOT_PLAIN],
      limits: ["10 results unless `limit` says otherwise, and at most 1,000.", PATHS],
      seeAlso: ["read", "list"],
    },
    open: {
      synopsis: 'sys.open(path: string, mode?: "read" | "append"): Promise<number>',
      description: [
        "Opens a stream on a file and gives its number, for [read](read.md) and [write](write.md). `read` is the default and needs the file to be there; `append` makes it with the first write.",
        "Numbers begin at 3 and are not given twice in one start of a program. A program that is started again by replay finds its streams where they were; a checkpoint closes them all.",
      ],
      rights:
        "`memory:PATH:read`, or `memory:PATH:write` to append. Every use of the stream asks for it again.",
      errors: [NOT_THERE, NOT_PLAIN],
      limits: [PATHS],
      seeAlso: ["close", "read", "write"],
      alsoKnownAs: "SYS_OPEN",
    },
    close: {
      synopsis: "sys.close(fd: number): Promise<void>",
      description: [
        "Closes a stream. What was written through it is written; nothing waits for this.",
      ],
      rights: "",
      errors: [["EINVAL", "no such stream is open"]],
      limits: [],
      seeAlso: ["open"],
      alsoKnownAs: "SYS_CLOSE",
    },
  };
