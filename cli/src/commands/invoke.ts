import type { OperationArgs } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { resultText } from "../print-ending.ts";
import { readInput, readJsonOption, readPiped, readText } from "../read-input.ts";
import { readDurationOption } from "../read-number.ts";

type InvokeArgs = OperationArgs<"invoke">;

const command: Command = async ({ args, client, options, out }) => {
  const [pid = "", words] = args;
  const json = options.text("inputJson");
  if (words !== undefined && json !== undefined)
    throw new SysError("EINVAL", "the input was given more than once", {
      hint: "pass it as an argument, or with --input-json",
    });
  const input =
    json !== undefined
      ? readJsonOption(await readText(json), "--input-json")
      : words !== undefined
        ? await readInput(words)
        : options.text("context") === undefined
          ? await readPiped((what) => out.note(what))
          : undefined;
  const context = options.text("context");
  const key = options.text("key");
  const label = options.text("label");
  const timeoutMs = readDurationOption(options.text("timeout"), "--timeout");
  const answered = await client.invoke({
    pid,
    ...(input === undefined ? {} : { input }),
    ...(context === undefined ? {} : { context: await readContext(context) }),
    ...(key === undefined ? {} : { key }),
    ...(label === undefined ? {} : { label }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  await out.data(answered, () => resultText(answered.output));
};

export default command;

/** The daemon looks whether they are messages. */
async function readContext(file: string): Promise<NonNullable<InvokeArgs["context"]>> {
  const text = await readText(file.startsWith("@") || file === "-" ? file : `@${file}`);
  return readJsonOption(text, "--context") as unknown as NonNullable<InvokeArgs["context"]>;
}
