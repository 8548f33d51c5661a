import type { CloudEvent } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";

const LONGEST_BODY = 200;

const verbs: Readonly<Record<CloudEvent["type"], string>> = {
  "aos.message.sent": "→",
  "aos.message.requested": "?",
  "aos.event.published": "»",
  "aos.message.received": "←",
};

const command: Command = async ({ args: [pid], client, options, out }) => {
  const topic = options.text("topic");
  const events = client.tailMessages({
    ...(pid === undefined ? {} : { pid }),
    ...(topic === undefined ? {} : { topic }),
  });
  const human = out.terminal ? lineOf : undefined;
  for await (const event of events)
    await out.line(event, human === undefined ? undefined : () => human(event));
};

function lineOf({ time, source, type, subject, data, aosdigest, aoslane }: CloudEvent): string {
  const body = aosdigest === undefined ? JSON.stringify(data) : `(long: ${aosdigest})`;
  const lane = aoslane === undefined ? "" : ` [${aoslane}]`;
  const from = source.slice(source.lastIndexOf("/") + 1);
  return printable(
    `${time} ${from} ${verbs[type]} ${subject}${lane} ${body.slice(0, LONGEST_BODY)}`,
  );
}

export default command;
