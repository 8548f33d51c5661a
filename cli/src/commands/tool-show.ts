import type { Json } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { detailText } from "../detail-text.ts";

const command: Command = async ({ args, client, out }) => {
  const tool = await client.tool({ name: args[0] ?? "", cwd: process.cwd() });
  const { lastFailure } = tool;
  await out.data(tool, () =>
    detailText(
      [
        ["name", `${tool.name} ${tool.version}`],
        ["source", tool.source],
        ["what it does", tool.description],
        ["tags", tool.tags.join(", ")],
        ["deprecated", tool.deprecated ?? undefined],
        ["effect", `${tool.effect}${tool.egress ? ", seen from outside" : ""}`],
        ["runs in", tool.sandbox === null ? "the daemon" : "the sandbox"],
        ["undone by", tool.undo ?? undefined],
        ["needs", tool.needs.join(", ")],
        ["since boot", `${tool.calls} calls, ${tool.failures} failed`],
        ["takes", tool.p50Ms === null ? undefined : `${tool.p50Ms} ms, ${tool.p95Ms} ms at p95`],
        [
          "last failure",
          lastFailure === null ? undefined : `${lastFailure.at}: ${lastFailure.message}`,
        ],
      ],
      { arguments: tool.input, ...(tool.output === null ? {} : { result: tool.output }) } as Json,
    ),
  );
};

export default command;
