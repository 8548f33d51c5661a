import type { MemoryRecord } from "@aos/protocol";
import type { Command } from "../command.ts";
import { wholeText } from "../memory-text.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const tenant = options.text("tenant");
  const record = await client.memoryRecord({ path, ...(tenant === undefined ? {} : { tenant }) });
  await out.data(record, () => [...linesOf(record), "", wholeText(record.data, out)].join("\n"));
};

type Related = MemoryRecord["contradicts"][number];
type Place = MemoryRecord["from"];

function linesOf(record: MemoryRecord): string[] {
  const { path, kind, label, writer, writtenAt, writtenBy, from } = record;
  const { replaces, replacedBy, contradicts } = record;
  const related = (title: string, facts: readonly Related[]) =>
    facts.map((one) => line(title, `${one.path}  ${one.label}  ${one.text}`));
  return [
    line("path", path),
    line("kind", kind),
    line("label", label),
    line("writer", writer),
    line("written", `${writtenAt}${placeText(writtenBy)}`),
    ...(from === null ? [] : [line("taken from", placeText(from).trim())]),
    ...(replacedBy === null ? [] : related("replaced by", [replacedBy])),
    ...related("replaces", replaces),
    ...related("contradicts", contradicts),
  ];
}

const line = (title: string, text: string): string => `${title.padEnd(12)} ${text}`;
const placeText = (place: Place): string =>
  place === null ? "" : `  record ${place.seq} of ${place.pid}`;

export default command;
