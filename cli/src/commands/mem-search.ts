import type { Command } from "../command.ts";
import { readNumberOption, readUsdOption } from "../read-number.ts";
import { oneLine } from "../memory-text.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";
import { timeSpan } from "../time-span.ts";

const command: Command = async ({ args, client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const usd = readUsdOption(options.text("usd"), "--usd");
  const given = ["agent", "pid", "path", "tenant", "label", "rerank"].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  const report = await client.searchMemory({
    query: args[0] ?? "",
    ...(Object.fromEntries(given) as { agent?: string; pid?: string }),
    ...timeSpan(options),
    ...(limit === undefined ? {} : { limit }),
    ...(usd === undefined ? {} : { usd }),
  });
  const rerank = options.text("rerank");
  if (rerank !== undefined && report.rerankedBy === null && report.found.length > 1)
    console.error(`Not reranked: ${rerank} failed, or would cost too much (--usd).`);
  await out.data(report, () =>
    report.found.length === 0
      ? `Nothing in the memory of ${report.tenant} fits these words.`
      : table(
          ["SCORE", "KIND", "PATH", "+LABEL", "+WRITER", "+WHY", "DATA"],
          report.found.map(({ score, kind, path, label, writer, data, passage, why = [] }) => [
            score.toFixed(2),
            kind ?? "",
            printable(path),
            label ?? "",
            writer ?? "",
            printable(why.map(({ says }) => says).join("; ")),
            oneLine(passage?.text ?? data),
          ]),
          out,
        ),
  );
};

export default command;
