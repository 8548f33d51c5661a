// H, third part: every place where a secret could be stored (arguments, errors, results, questions), and undeclared
// secrets.

import { randomBytes } from "node:crypto";
import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";
import { holds, kept } from "./scrubbing.ts";
import { declare } from "./secrets.ts";

const SETTLEMENT = "kernel/src/syscall/settlement.ts";
const CALL = "kernel/src/process/call.ts";
/** A holder of the value writes it somewhere; it must not be stored there. */
const said =
  (say: (range: Range) => Promise<string>) =>
  async (range: Range): Promise<AttackOutcome> => {
    await declare(range);
    return kept(range, await say(range), range.secret);
  };

export const secretSinks: readonly AttackRow[] = [
  {
    id: "H22",
    name: "record a secret in the arguments of a call",
    stoppedBy: CALL,
    run: said(async (range) => {
      const args = { told: range.secret };
      const call = range.run(async (sys) => codeOf(sys.exec("range.set", args)), {
        capabilities: ["tool:range.*:call"],
      });
      return (await call).pid;
    }),
  },
  {
    id: "H23",
    name: "record a secret in the error of a tool",
    stoppedBy: SETTLEMENT,
    run: said(async (range) => {
      const fail = range.echo(range.secret);
      const call = range.run(async (sys) => codeOf(sys.exec("range.echo", { fail })), {
        capabilities: ["tool:range.*:call"],
      });
      return (await call).pid;
    }),
  },
  {
    id: "H24",
    name: "return a secret as the result of a program",
    stoppedBy: "kernel/src/scheduler/endings.ts",
    run: said(async (range) => (await range.run(async () => ({ key: range.secret }))).pid),
  },
  {
    id: "H25",
    name: "fail with a secret in the error",
    stoppedBy: "kernel/src/scheduler/endings.ts",
    run: said(async (range) => {
      const failing = async () => {
        throw new Error(`no access with ${range.secret}`);
      };
      return (await range.run(failing)).pid;
    }),
  },
  {
    id: "H26",
    name: "start a process with a secret in its input",
    stoppedBy: "kernel/src/process/process-factory.ts",
    run: said(
      async (range) => (await range.run(async (sys) => sys.now(), { given: range.secret })).pid,
    ),
  },
  {
    id: "H27",
    name: "show a secret to a person in a question",
    stoppedBy: CALL,
    run: async (range) => {
      await declare(range);
      range.person = "is silent";
      const pid = await range.start(async (sys) => sys.ask(`Is ${range.secret} right?`));
      const shown = JSON.stringify(await range.question());
      await range.kernel.signal(pid, "SIGKILL");
      return tried(holds(shown, range.secret), shown.slice(0, 120));
    },
  },
  {
    id: "H28",
    name: "record a secret in a message",
    stoppedBy: SETTLEMENT,
    run: said(async (range) => {
      const pid = await range.start(async (sys) => sys.receive().then(() => "heard"));
      await range.kernel.send(pid, `the key is ${range.secret}`);
      await range.end(pid);
      return pid;
    }),
  },
  {
    id: "H29",
    name: "echo a secret that was just replaced",
    stoppedBy: "kernel/src/secret/vault.ts",
    run: async (range) => {
      await declare(range);
      const secret = { name: "RANGE_TOKEN", value: "another-value-altogether", bindings: [] };
      await range.kernel.setSecret(secret, "rita");
      const echo = range.echo(range.secret);
      const { pid } = await range.run(async (sys) => codeOf(sys.exec("range.echo", { echo })), {
        capabilities: ["tool:range.*:call"],
      });
      return kept(range, pid, range.secret);
    },
  },
  ...(
    [
      ["H30", "an undeclared GitHub token", () => `ghp_${randomBytes(18).toString("hex")}`],
      [
        "H31",
        "an undeclared AWS key",
        () =>
          `AKIA${randomBytes(30)
            .toString("base64")
            .replaceAll(/[^A-Z]/g, "")
            .padEnd(16, "QZ")
            .slice(0, 16)}`,
      ],
      [
        "H32",
        "an undeclared private key",
        () =>
          `-----BEGIN PRIVATE KEY-----\n${randomBytes(96).toString("base64")}\n-----END PRIVATE KEY-----`,
      ],
    ] as const
  ).map(([id, what, make]): AttackRow => ({
    id,
    name: `echo ${what}`,
    stoppedBy: "kernel/src/secret/known-formats.ts",
    run: async (range) => {
      const value = make();
      const echo = range.echo(value);
      const { pid } = await range.run(async (sys) => codeOf(sys.exec("range.echo", { echo })), {
        capabilities: ["tool:range.*:call"],
      });
      return kept(range, pid, value);
    },
  })),
];
