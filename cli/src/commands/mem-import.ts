// `aos mem import`: sends the lines of a file in batches.

import type { MemoryImport, OperationArgs } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";

type Records = OperationArgs<"importMemory">["records"];

const BATCH = 200;

const command: Command = async ({ args: [file = ""], client, options, out }) => {
  const records = recordsIn(await readText(file === "-" ? file : `@${file}`));
  const [agent, tenant] = [options.text("agent"), options.text("tenant")];
  const batches: MemoryImport[] = [];
  for (let at = 0; at < records.length; at += BATCH) {
    const batch = await client.importMemory({
      records: records.slice(at, at + BATCH),
      trusted: options.flag("trusted"),
      ...(agent === undefined ? {} : { agent }),
      ...(tenant === undefined ? {} : { tenant }),
    });
    batches.push(batch);
    if (out.terminal) out.note(`${Math.min(at + BATCH, records.length)} of ${records.length}`);
  }
  const total: MemoryImport = {
    written: sum(batches.map(({ written }) => written)),
    unchanged: sum(batches.map(({ unchanged }) => unchanged)),
    kept: batches.flatMap(({ kept }) => kept),
    refused: batches.flatMap(({ refused }) => refused),
  };
  await out.data(total, () => textOf(total));
  return total.refused.length === 0 ? 0 : 1;
};

function recordsIn(text: string): Records {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    try {
      const { path, data, label } = JSON.parse(line) as Records[number];
      return [{ path, data, ...(label === undefined ? {} : { label }) }];
    } catch {
      throw new SysError("EINVAL", `line ${at + 1} is not a JSON object`, {
        hint: "a line is what `aos mem export` prints",
      });
    }
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const textOf = ({ written, unchanged, kept, refused }: MemoryImport): string =>
  [
    `${written} written, ${unchanged} unchanged, ${kept.length} kept as they were, ${refused.length} refused`,
    ...kept.map((path) => `kept     ${path}: it has other data`),
    ...refused.map(({ path, error }) => `refused  ${path}: ${error}`),
  ].join("\n");

export default command;
