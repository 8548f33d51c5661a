// The thread in which a page is turned into text.

import { parentPort, workerData } from "node:worker_threads";
import { convert } from "html-to-text";

const { html, isMarkdown, url } = workerData as { html: string; isMarkdown: boolean; url: string };

const LEFT_OUT = ["script", "style", "noscript", "template", "svg", "iframe", "object", "form"];

function answer(): { ok: string } | { error: string } {
  try {
    return {
      ok: convert(html, {
        wordwrap: false,
        limits: { maxInputLength: 8_388_608, maxDepth: 200, maxChildNodes: 50_000 },
        selectors: [
          ...LEFT_OUT.map((selector) => ({ selector, format: "skip" })),
          { selector: "[hidden]", format: "skip" },
          { selector: "[aria-hidden=true]", format: "skip" },
          { selector: "img", format: "skip" },
          {
            selector: "a",
            options: isMarkdown
              ? { baseUrl: url, linkBrackets: ["(", ")"], hideLinkHrefIfSameAsText: true }
              : { ignoreHref: true },
          },
          ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector, at) => ({
            selector,
            format: "heading",
            options: {
              uppercase: false,
              ...(isMarkdown ? { prefix: `${"#".repeat(at + 1)} ` } : {}),
            },
          })),
        ],
        formatters: {
          heading: (elem, walk, builder, options) => {
            const { prefix = "" } = options as { prefix?: string };
            builder.openBlock({ leadingLineBreaks: 2 });
            if (prefix !== "") builder.addInline(prefix, { noWordTransform: true });
            walk(elem.children, builder);
            builder.closeBlock({ trailingLineBreaks: 2 });
          },
        },
      }),
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort!.postMessage(answer());
