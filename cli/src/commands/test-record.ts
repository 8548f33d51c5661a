import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const OF_PROJECT = join(".agents", "tests");

const command: Command = async ({ args, client, options, out }) => {
  const folder = resolve(options.text("out") ?? OF_PROJECT);
  const name = options.text("name");
  const agent = options.text("agent");
  const recorded = await client.recordTest({
    pid: args[0] ?? "",
    folder,
    ...(name === undefined ? {} : { name }),
    ...(agent === undefined ? {} : { agent: resolve(agent) }),
  });
  const test = join(folder, `${recorded.name}.test.yaml`);
  const recording = join(folder, `${recorded.name}.recording.yaml`);
  if (!options.flag("force")) for (const file of [test, recording]) refuseIfThere(file);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(recording, recorded.script);
    writeFileSync(test, recorded.text);
  } catch (error) {
    throw new SysError("EINVAL", `cannot write ${test}: ${(error as Error).message}`);
  }
  await out.data({ name: recorded.name, test, recording }, () => relative(process.cwd(), test));
  out.note(`it passes; run it with: aos test ${relative(process.cwd(), test)}`);
};

export default command;

function refuseIfThere(file: string): void {
  if (!existsSync(file)) return;
  throw new SysError("EEXIST", `${file} already exists`, {
    hint: "give it another --name, or replace it with --force",
  });
}
