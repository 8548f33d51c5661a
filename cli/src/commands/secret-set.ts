import { SysError } from "@aos/protocol/words";
import { askHidden } from "../ask-person.ts";
import { bindingsOf } from "../bindings-of.ts";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";

const command: Command = async ({ args, client, options, out }) => {
  const name = args[0] ?? "";
  if (options.text("value") !== undefined) {
    throw new SysError("EINVAL", "a secret must not be passed on the command line", {
      hint: "other users and the shell history can see it: omit --value and type it at the prompt, or pipe it in",
    });
  }
  const bindings = bindingsOf(options);
  const value = await readValue(name);
  if (value === "") throw new SysError("EINVAL", "the value is empty; nothing was stored");
  if (bindings.length === 0) {
    out.note(
      "the secret has no binding: no tool or request can use it; it is only redacted from records and output",
    );
  }
  const report = await client.setSecret({ name, value, bindings });
  await out.data({ ...report, bindings }, () => "");
};

export default command;

/** What is piped in has a line end that is no part of it. */
const readValue = async (name: string): Promise<string> =>
  process.stdin.isTTY ? askHidden(`${name}: `) : (await readText("-")).replace(/\r?\n$/, "");
