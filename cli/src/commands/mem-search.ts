import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { oneLine } from "../memory-text.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const given = ["agent", "pid", "path", "tenant"].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  const report = await client.searchMemory({
    query: args[0] ?? "",
    ...(Object.fromEntries(given) as { agent?: string; pid?: string }),
    ...(limit === undefined ? {} : { limit }),
  });
  await out.data(report, () =>
    report.found.length === 0
      ? `No entry in the shared memory of ${report.tenant} contains these words.`
      : table(
          ["SCORE", "PATH", "+WRITER", "DATA"],
          report.found.map(({ score, path, writer, data }) => [
            score.toFixed(2),
            printable(path),
            writer ?? "",
            oneLine(data),
          ]),
          out,
        ),
  );
};

export default command;
