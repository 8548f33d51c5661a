import type { Client } from "@aos/client";
import type { JournalRecord } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { formatRecord } from "../format-record.ts";

const PAGE = 1000;

const command: Command = async ({ args, client, options, out }) => {
  const pid = args[0] ?? "";
  const after =
    readNumberOption(options.text("after"), "--after") ??
    (await beforeTail(client, pid, readNumberOption(options.text("tail"), "--tail")));
  const from = { pid, ...(after === undefined ? {} : { after }) };
  const records = options.flag("follow") ? client.watch(from) : pages(client, from);
  const human = out.terminal ? formatRecord : undefined;
  for await (const record of records) {
    await out.line(record, human === undefined ? undefined : () => human(record));
  }
};

export default command;

/** The last records are those after this one; none where there are no more than that. */
async function beforeTail(
  client: Client,
  pid: string,
  tail: number | undefined,
): Promise<number | undefined> {
  if (tail === undefined) return undefined;
  const { records } = await client.show({ pid });
  return records > tail ? records - tail - 1 : undefined;
}

async function* pages(
  client: Client,
  from: { pid: string; after?: number },
): AsyncGenerator<JournalRecord> {
  let page = await client.journal({ ...from, limit: PAGE });
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    page = await client.journal({ ...from, after: last.seq, limit: PAGE });
  }
}
