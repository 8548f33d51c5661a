import { SysError } from "@aos/protocol/words";
import { askHidden } from "../ask-person.ts";
import { bindingsOf } from "../bindings-of.ts";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";

const command: Command = async ({ args, client, options, out }) => {
  const name = args[0] ?? "";
  if (options.text("value") !== undefined) {
    throw new SysError("EINVAL", "a secret is never given on the command line", {
      hint: "others can see it there, and the shell keeps it: leave --value out and type it when asked, or pipe it in",
    });
  }
  const bindings = bindingsOf(options);
  const value = await readValue(name);
  if (value === "") throw new SysError("EINVAL", "the value is empty, and nothing was set");
  if (bindings.length === 0) {
    out.note("it may be put nowhere, and is only taken out of what is recorded and shown");
  }
  const report = await client.setSecret({ name, value, bindings });
  await out.data({ ...report, bindings }, () => "");
};

export default command;

/** What is piped in has a line end that is no part of it. */
const readValue = async (name: string): Promise<string> =>
  process.stdin.isTTY ? askHidden(`${name}: `) : (await readText("-")).replace(/\r?\n$/, "");
