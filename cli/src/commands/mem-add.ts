import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";

const command: Command = async ({ args: [given = ""], client, options, out }) => {
  const named = ["agent", "path", "subject", "source", "replaces", "tenant"].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  const confidence = options.text("confidence");
  const added = await client.addFact({
    text: (await readText(given)).trim(),
    ...(Object.fromEntries(named) as { agent?: string }),
    ...(confidence === undefined ? {} : { confidence: partOfOne(confidence) }),
  });
  await out.data(added, () => added.path);
};

function partOfOne(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= 1) return value;
  throw new SysError("EINVAL", `--confidence is a number from 0 to 1, not ${text}`);
}

export default command;
