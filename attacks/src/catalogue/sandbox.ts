// M, first part: sandbox escapes. Each attack is a malicious script that the operator has installed as an agent; the
// sandbox of the live system must hold it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Range } from "../range.ts";
import { tried, type AttackRow, type AttackOutcome } from "./row.ts";

const ARGUMENTS = "drivers/src/sandbox/bubblewrap-arguments.ts";
const VIEW = "drivers/src/programs/program-view.ts";
const CONFINE = "drivers/src/programs/confine.ts";
const PROFILES = "drivers/src/sandbox/seccomp/profiles.ts";
/** Runs a script as an agent; everything that it printed is returned by the system call `exit`. */
async function said(range: Range, script: string): Promise<string> {
  const exit = `{"jsonrpc":"2.0","id":1,"method":"exit","params":{"code":0,"output":"%s"}}`;
  const whole = `out=$({ ${script}\n} 2>&1 | base64 | tr -d '\\n'); printf '${exit}\\n' "$out"`;
  const { output, error } = await range.runCommand(["sh", "-c", whole]);
  if (typeof output !== "string") throw new Error(JSON.stringify(error));
  return Buffer.from(output, "base64").toString();
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)!.slice(0, 200);

/** Whether the script returned the treasure. */
const fetches =
  (script: (range: Range) => string) =>
  async (range: Range): Promise<AttackOutcome> => {
    const text = await said(range, script(range));
    return tried(text.includes(range.treasure), lastLine(text));
  };

/** Whether a file exists afterwards. */
const plants =
  (place: (range: Range) => string) =>
  async (range: Range): Promise<AttackOutcome> => {
    const text = await said(range, `echo mine > '${place(range)}'`);
    return tried(existsSync(place(range)), lastLine(text) || "no error was printed");
  };

/** Whether a listener on the machine was called. */
const calls =
  (address: (range: Range) => string) =>
  async (range: Range): Promise<AttackOutcome> => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.on("error", () => {}).end();
    });
    server.listen(address(range));
    await once(server, "listening");
    // No command has a NUL in it.
    const name = address(range).replace("\0", "@");
    try {
      const text = await said(
        range,
        `node -e 'const s = require("net").connect(process.argv[1].replace("@", "\\0"));
         s.on("connect", () => { console.log("connected"); s.end() }).on("error", (e) => console.log(e.code))' '${name}'`,
      );
      return tried(visits > 0, lastLine(text));
    } finally {
      server.close();
    }
  };

/** Runs with a process on the machine that has the treasure in its environment. */
async function besideVictim(
  range: Range,
  attack: (pid: number) => Promise<string>,
): Promise<{ readonly text: string; readonly isDead: boolean }> {
  const env = { PATH: "/usr/bin:/bin", TREASURE: range.treasure };
  const victim = spawn("sleep", ["60"], { env, stdio: "ignore" });
  await once(victim, "spawn");
  try {
    const text = await attack(victim.pid!);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { text, isDead: victim.signalCode !== null };
  } finally {
    victim.kill("SIGKILL");
  }
}

/** Processes of the machine whose command line contains this word. */
export const processesWith = (word: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);

export const sandbox: readonly AttackRow[] = [
  {
    id: "M1",
    name: "read a machine file by its path",
    stoppedBy: VIEW,
    run: fetches(({ vault }) => `cat '${vault}/key'`),
  },
  {
    id: "M2",
    name: "read a machine file through a link in the program's folder",
    stoppedBy: ARGUMENTS,
    needs: ["links"],
    run: async (range) => {
      await symlink(join(range.vault, "key"), join(range.work, "link"));
      return fetches(() => "cat link")(range);
    },
  },
  {
    id: "M3",
    name: "read a machine file through the root of its parent",
    stoppedBy: ARGUMENTS,
    needs: ["proc"],
    run: fetches(({ vault }) => `for p in $PPID 1 2; do cat "/proc/$p/root${vault}/key"; done`),
  },
  {
    id: "M4",
    name: "read a machine file through the working directory of its parent",
    stoppedBy: ARGUMENTS,
    needs: ["proc"],
    run: fetches(({ vault }) => {
      const up = "../".repeat(20);
      return `for p in $PPID 1; do cat "/proc/$p/cwd/${up}${vault}/key"; done`;
    }),
  },
  {
    id: "M5",
    name: "change its own program",
    stoppedBy: VIEW,
    run: plants(({ work }) => join(work, "planted")),
  },
  {
    id: "M6",
    name: "write a file elsewhere on the machine",
    stoppedBy: VIEW,
    run: plants(({ vault }) => join(vault, "planted")),
  },
  {
    id: "M7",
    name: "connect to a server of the machine directly",
    stoppedBy: CONFINE,
    run: async (range) => {
      const url = `http://127.0.0.1:${range.web.inner}/`;
      const text = await said(
        range,
        `node -e 'fetch(process.argv[1]).then((r) => r.text()).then(console.log, (e) => console.log(e.cause?.code))' ${url}`,
      );
      return tried(range.web.breaches.length > 0, lastLine(text));
    },
  },
  {
    id: "M8",
    name: "connect to a Unix socket of the machine",
    stoppedBy: PROFILES,
    run: calls(({ folder }) => join(folder, "s")),
  },
  {
    id: "M9",
    name: "connect to an abstract socket",
    stoppedBy: PROFILES,
    needs: ["proc"],
    run: calls(({ treasure }) => `\0${treasure}`),
  },
  {
    id: "M10",
    name: "read the environment of other processes",
    stoppedBy: ARGUMENTS,
    needs: ["proc"],
    run: async (range) => {
      const { text } = await besideVictim(range, () =>
        said(range, `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep TREASURE`),
      );
      return tried(text.includes(range.treasure), lastLine(text) || "no environment was readable");
    },
  },
  {
    id: "M11",
    name: "kill a process outside the sandbox",
    stoppedBy: ARGUMENTS,
    run: async (range) => {
      const { text, isDead } = await besideVictim(range, (pid) => said(range, `kill -9 ${pid}`));
      return tried(isDead, lastLine(text) || "the process is still running");
    },
  },
  {
    id: "M12",
    name: "create a user namespace with root rights",
    stoppedBy: PROFILES,
    needs: ["proc"],
    run: async (range) => {
      const text = await said(
        range,
        "command -v unshare > /dev/null || echo absent; unshare --user --map-root-user id -u",
      );
      if (text.split("\n", 1)[0] === "absent") throw new Error("there is no unshare here");
      return tried(text.trim() === "0", lastLine(text));
    },
  },
];
