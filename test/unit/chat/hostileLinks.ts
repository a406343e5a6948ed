/** Where a link in a document must not lead. */
export const hostileTargets = [
  'command:some.command?[1]',
  'CoMmAnD:some.command',
  'vscode:extension/x.y',
  'file:///etc/passwd',
  'data:text/html,x',
  'javascript:alert(1)',
  '../../etc/passwd',
  '/etc/passwd',
  '//x.invalid/share',
  '#L1',
  'ftp://x.invalid/a',
  'https:command',
] as const;

/** Every form of a link that leads to `target`, and what may bring a reader to take something for one. */
export function hostileForms(target: string): readonly string[] {
  const tick = '`';
  return [
    `[click](${target})`,
    `[click](<${target}>)`,
    `[click]( ${target} "title")`,
    `[click](${target} 'title') [b](${target} (title))`,
    `![click](${target})`,
    `[![a](${target})](${target})`,
    `[![a](https://x.invalid/a.png)](${target})`,
    `[![a](${target})](https://x.invalid)`,
    `[click][x] [x][] [x]\n\n[x]: ${target}`,
    `[x]: ${target}`,
    `[x]: <${target}> "title"`,
    `[x]:\n  ${target}\n  'title'`,
    `[x\ny]: ${target}\n[^1]: ${target}`,
    `   [x]:\t${target}\n\n\\[x\\]: ${target}\n\n[\\]x]: ${target}`,
    `<${target}>`,
    `\\<${target}> &lt;${target}>`,
    `<a href="${target}">x</a> <a href='${target}'>x</a> <a href=${target}>x</a>`,
    `<img src="${target}"><video src="${target}" placeholder="${target}"></video><source src="${target}">`,
    `<div>\n<a href="${target}">x</a>\n\n[x](${target})\n</div>`,
    `<A\nHREF = "${target}"\n>x</A>\n\n\\<a href="${target}">`,
    `- [click](${target})\n  - 1. > [click](${target})\n\n  [x]: ${target}`,
    `> [click](${target})\n>\n> [x]: ${target}\n[lazy](${target})`,
    `| a | b |\n|---|:-:|\n| [click](${target}) | ${tick}[a\\|b](${target})${tick} |`,
    `# [click](${target})\n\n[click](${target})\n===`,
    `**[click](${target})** ~~_[click](${target})_~~`,
    `[a [b](${target}) c](https://x.invalid) [a \\[b](${target}) [[a]](${target}) [[a\\](${target})`,
    `[click](${target.replace('c', '&#99;').replace('f', '&#x66;')})`,
    `[click](${target.replace(':', '&colon;')}) [x](\\${target}) [x](${target.replace(':', '\\:')})`,
    `[click](${target.slice(0, 3)}\t${target.slice(3)}) [x](<${target.slice(0, 3)}\u0001${target.slice(3)}>)`,
    `[click](${target.slice(0, 3)}\n${target.slice(3)}) [x](\u00a0${target}) [x](\u2028${target})`,
    `[click]\\(${target}) [click\\](${target}) \\\\[click](${target}) \\![click](${target})`,
    `!![click](https://x.invalid) [a](https://x.invalid/](${target})`,
    // Words that are code to one reader only.
    `a ${tick} b\n\nc ${tick}[x](${target})${tick}`,
    `\\${tick}${tick}[x](${target})${tick} ${tick}${tick}[x](${target})`,
    `${tick}a\n\n[x](${target})${tick}`,
    `${tick}a\u2028[x](${target})${tick}`,
    `[a ${tick}](${target})${tick} b](https://x.invalid)`,
    `[a ${tick}![x](${target})${tick} b](https://x.invalid)`,
    `[a\n\n${tick}${tick}${tick}\n]: ${target}\n](${target})\n${tick}${tick}${tick}`,
    `$$\n\n~~~\n[x](${target})\n~~~\n\n$$\n\n$a ${tick}b$ [x](${target})${tick}`,
    `~~~\n${tick}\n~~~\n\n${tick}[x](${target})${tick}`,
    `- ${tick}${tick}${tick}\n  a\n\n  b\n  ${tick}${tick}${tick}\n- ${tick}${tick}${tick} [x](${target}) ${tick}${tick}${tick}`,
    `a | ${tick}x|[y](${target})${tick}\n-|-\n1 | 2`,
    `~~~~a~~~~\n~~~\n[x](${target})\n~~~\t\n[x](${target})`,
    `    [x](${target})\n\n\t${tick}\n\n[x](${target})${tick}`,
    // VS Code looks for tags in code, too, and from there on.
    `${tick}<a${tick} href="${target}">x ${tick}<a href=${target}>${tick} href="x"`,
    `${tick}${tick}${tick}html\n<a href=${target}>${'<td>'.repeat(40)}<i href="z"></i></a>\n${tick}${tick}${tick}\n\n${'Words behind it. '.repeat(30)}`,
    `${tick}${tick}${tick}\n<a href = "${target}">${'<p>'.repeat(40)}<i href="z"></i></a>\n<img title='\n${tick}${tick}${tick}\n\n' src="${target}"> ${'and words '.repeat(30)}`,
    `${target} (${target}) ${tick}${target}${tick}\n\n${tick}${tick}${tick}\n${target}\n[x](${target})\n${tick}${tick}${tick}`,
  ];
}

/** Whether an editor may follow it. */
export const isFollowable = (target: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(target);
