// The pages of the calls on the virtual file system.

import type { Pages } from "./page.ts";

const PATHS =
  "A path is absolute and canonical: no `.`, `..`, empty segments or control characters, in Unicode form NFC, at most 4,096 characters.";
const MOUNTS =
  "Files live below `/mem/working` (this process's own), `/mem/episodic` (append-only) and `/mem/semantic` (its agent's), `/mem/shared` (the tenant's) and `/mem/agents/SPACE` (another agent's; [memory of agents](../memory-spaces.md)). `/` lists the mounts ([files](../files.md)); `/policy`, `/proc`, `/ipc`, `/tools` and `/state/checkpoints` show what binds the process, its tree, its messages, its tools and its last state, and are read-only. `/self/manifest`, `/self/tools`, `/self/input`, `/self/skills`, `/self/instructions` (the AGENTS.md that hold for it) and `/self/narrowing` are read-only and say what the process is; `/skills` has the skills that its manifest names; `/ctx` has what its model was last shown and what was taken out of that, and is read-only ([context](../context.md)); `/work` is the workspace of its tree ([workspaces](../workspaces.md)): to `read`, `write`, `list` and `remove` a file there takes a `file:` grant for it, and is done by the file tool of that name, whose rules hold.";
const NOT_THERE = ["ENOENT", "the file does not exist, or nothing is mounted at the path"] as const;
const NOT_PLAIN = ["EINVAL", "the path is not canonical"] as const;
const NO_STREAM = ["EINVAL", "neither a path nor an open stream was given"] as const;

export const filePages: Pages<"read" | "write" | "list" | "remove" | "search" | "open" | "close"> =
  {
    read: {
      synopsis:
        "sys.read(path: string): Promise<Json>\nsys.read(fd: number, { length? }): Promise<string>",
      description: [
        "With a path: returns the whole JSON value that was last written there.",
        "With a stream from [open](open.md): returns the next `length` characters of the file, and an empty string at its end. A value that is not a string is read as its JSON text.",
        MOUNTS,
        "A read sees every earlier write, even before it is on disk. The label of the data joins the label of the process.",
      ],
      rights:
        "`memory:PATH:read`, also for every piece of a stream. None for what is the process's own: `/self`, `/skills`, `/ctx`, `/policy`, `/proc`, `/ipc`, `/tools` and `/state`.",
      errors: [NOT_THERE, NOT_PLAIN, NO_STREAM],
      limits: [PATHS, "A read of a stream returns 65,536 characters by default (`length`)."],
      seeAlso: ["write", "open", "list", "search"],
      alsoKnownAs: "SYS_READ",
    },
    write: {
      synopsis:
        "sys.write(path: string, data: Json): Promise<void>\nsys.write(fd: number, data: string): Promise<void>",
      description: [
        "With a path: replaces the value of the file. With a stream opened to append: adds text to the end of the file.",
        "The file changes in the same transaction as the record of the call: after a crash both are present or neither. A file carries its writer, the time, and the label of the writer.",
        "`/mem/working` is removed with the history of the process; everything else stays until it is removed explicitly.",
      ],
      rights: "`memory:PATH:write`, also for every addition to a stream.",
      errors: [
        ["EEXIST", "the file is below `/mem/episodic` and already exists"],
        [
          "EINVAL",
          "the path is not canonical, is a mount, or is on a read-only one; or the data for a stream is not a string",
        ],
        ["ENOENT", "nothing is mounted at the path"],
      ],
      limits: [PATHS, "The arguments of one call: 16 MiB (`limits.argumentBytes`)."],
      seeAlso: ["read", "remove", "open"],
      alsoKnownAs: "SYS_WRITE",
    },
    list: {
      synopsis:
        "sys.list(path: string): Promise<string[]>\nsys.list(path: string, { limit?, cursor? }): Promise<{ paths, next }>",
      description: [
        "Returns the full paths of all files at or below the path, at any depth, sorted. Folders exist only through their files; there are no empty ones.",
        "With `limit` or `cursor`: a page of at most `limit` paths (1,000 by default), and in `next` the cursor of the page after it, or null.",
        MOUNTS,
      ],
      rights:
        "`memory:PATH:list`. None for what is the process's own: `/`, `/self`, `/skills`, `/ctx`, `/policy`, `/proc`, `/ipc`, `/tools` and `/state`.",
      errors: [["ENOENT", "nothing is mounted at the path"], NOT_PLAIN],
      limits: [PATHS],
      seeAlso: ["read", "search"],
    },
    remove: {
      synopsis: "sys.remove(path: string): Promise<void>",
      description: [
        "Removes one file, in the same transaction as the record of the call. Files below `/mem/episodic` cannot be removed.",
      ],
      rights: "`memory:PATH:remove`.",
      errors: [NOT_THERE, ["EINVAL", "the path is not canonical, or is below `/mem/episodic`"]],
      limits: [PATHS],
      seeAlso: ["write", "list"],
    },
    search: {
      synopsis:
        "sys.search(path: string, query: string, { limit?, writer?, label?, since?, until?, kind?, replaced?, unit? }): Promise<{ path, data, score, why, … }[]>",
      description: [
        "Returns the files below the path that fit the query, the best first: by their words, by what stands next to them, by their session, dates and authors, and by their meaning where the kernel has embeddings. [memory.md](../memory.md) describes the ranking. `score` is between 0 and 1 and comparable within one search; `why` has the reasons, the strongest first; `passage` is the part of a long file that fits best; `searchedBy` says whether meanings were compared.",
        "`writer`, `label`, `since`, `until` and `kind` limit what is looked at: what one process wrote, what is at least as trusted, what was written from a time on or before one (milliseconds since 1970), dialogues, documents, code or episodes. Without `label`, facts of agents (`/mem/semantic`) that are untrusted are left out: they are in [quarantine](../memory-spaces.md#quarantine).",
        "A fact that another one replaces is left out, unless `replaced` is true; it then has the path of the other in `replacedBy`. A fact with others about the same subject that say something else names them in `contradicts`.",
        'With `unit: "passage"` passages are found in place of files, several of one file where they fit: `data` is the text of the passage, and `source` says where the file was ingested from ([context-service.md](../context-service.md)).',
        "Only files that the process may search count, in the result and in every statistic behind it.",
        "At `/ctx/archive`, or one of those below it, the messages that were taken out of the process's own context: `data` has the `role`, the `text` around the words, and the `offset` where the message begins in what `read` gives. Where the words of the query stand there as they were asked for, the score is 1 higher.",
      ],
      rights:
        "`memory:PATH:search`. The result includes the data; `read` is not needed. None for `/ctx/…`.",
      errors: [["ENOENT", "nothing is mounted at the path"], NOT_PLAIN],
      limits: ["10 results by default, at most 1,000 (`limit`).", PATHS],
      seeAlso: ["read", "list"],
    },
    open: {
      synopsis: 'sys.open(path: string, mode?: "read" | "append"): Promise<number>',
      description: [
        "Opens a stream on a file and returns its number, for [read](read.md) and [write](write.md). `read` is the default and needs an existing file; `append` creates the file with the first write.",
        "Numbers begin at 3 and are not reused in one start of a program. After a replay the streams are at their old positions; a checkpoint closes them all.",
      ],
      rights:
        "`memory:PATH:read`, or `memory:PATH:write` to append. Every use of the stream is checked again.",
      errors: [NOT_THERE, NOT_PLAIN],
      limits: [PATHS],
      seeAlso: ["close", "read", "write"],
      alsoKnownAs: "SYS_OPEN",
    },
    close: {
      synopsis: "sys.close(fd: number): Promise<void>",
      description: ["Closes a stream. Data written through it is already durable."],
      rights: "",
      errors: [["EINVAL", "no such stream is open"]],
      limits: [],
      seeAlso: ["open"],
      alsoKnownAs: "SYS_CLOSE",
    },
  };
