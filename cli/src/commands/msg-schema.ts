import { SysError } from "@aos/protocol/failures";
import type { Command } from "../command.ts";
import { readMessageBody } from "../read-input.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [topic = "", given] = args;
  const tenant = options.text("tenant");
  const isRemoved = options.flag("remove");
  if (isRemoved === (given !== undefined))
    throw new SysError("EINVAL", "pass a schema, or --remove", {
      hint: "aos msg schema TOPIC @schema.json",
    });
  const report = await client.setTopicSchema({
    topic,
    schema: isRemoved ? null : await readMessageBody(given!, true),
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data(report, () =>
    isRemoved ? `${topic} has no schema` : `events of ${topic} have to fit the schema`,
  );
};

export default command;
