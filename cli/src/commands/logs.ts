import type { Client } from "@aos/client";
import type { JournalRecord } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { formatRecord } from "../format-record.ts";

const PAGE = 1000;

const command: Command = async ({ args, client, options, out }) => {
  const pid = args[0] ?? "";
  const after = readNumberOption(options.text("after"), "--after");
  const from = { pid, ...(after === undefined ? {} : { after }) };
  const records = options.flag("follow") ? client.watch(from) : pages(client, from);
  const human = out.terminal ? formatRecord : undefined;
  for await (const record of records) {
    await out.line(record, human === undefined ? undefined : () => human(record));
  }
};

export default command;

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
