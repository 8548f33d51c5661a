import type { Command } from "../command.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";

const USUAL_LIMIT = 100;
const MOST_LETTERS = 1000;

const command: Command = async ({ args: [pid], client, options, out }) => {
  const limit = readLimit(options, { usual: USUAL_LIMIT, most: MOST_LETTERS });
  const after = options.text("after");
  const of = pid === undefined ? {} : { pid };
  const letters = await client.deadLetters({
    ...of,
    limit,
    ...(after === undefined ? {} : { before: after }),
  });
  const nowMs = Date.now();
  await out.data(letters, () =>
    table(
      ["ID", "TO", "FROM", "AGE", "REASON", "+REPLY-TO", "+LABEL", "+BODY"],
      letters.map(({ id, to, from, diedAt, reason, replyTo, label, body }) => [
        id,
        to,
        from,
        ago(diedAt, nowMs),
        reason,
        printable(replyTo ?? ""),
        label,
        printable(JSON.stringify(body)),
      ]),
      out,
    ),
  );
  const last = letters.at(-1);
  if (last === undefined || letters.length < limit) return;
  if ((await client.deadLetters({ ...of, limit: 1, before: last.id })).length === 0) return;
  const next = `aos msg dead${pid === undefined ? "" : ` ${pid}`} -n ${limit} --after ${last.id}`;
  printMoreHint(out, { listed: letters.length, most: MOST_LETTERS, next });
};

export default command;
