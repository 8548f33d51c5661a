// HTML as text with its headings, as Markdown has them.

export async function htmlText(html: string): Promise<string> {
  const { convert } = await import("html-to-text");
  return convert(html, {
    wordwrap: false,
    limits: { maxInputLength: 16_777_216, maxDepth: 200, maxChildNodes: 50_000 },
    selectors: [
      ...LEFT_OUT.map((selector) => ({ selector, format: "skip" })),
      { selector: "a", options: { ignoreHref: true } },
      ...[1, 2, 3, 4, 5, 6].map((level) => ({
        selector: `h${level}`,
        format: "heading",
        options: { prefix: `${"#".repeat(level)} ` },
      })),
    ],
    formatters: {
      heading: (element, walk, builder, options) => {
        builder.openBlock({ leadingLineBreaks: 2 });
        builder.addInline((options as { prefix: string }).prefix, { noWordTransform: true });
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 2 });
      },
    },
  });
}

/** What no reader of the page sees. */
const LEFT_OUT = [
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "img",
  "[hidden]",
  "[aria-hidden=true]",
];
