const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** The text of simple HTML: paragraphs and items in lines of their own. */
export const textOfHtml = (html: string): string =>
  html
    .replaceAll(/<(?:br|\/p|\/li|\/h\d|\/tr|\/div|\/pre)\b[^>]{0,200}>/gi, '\n')
    .replaceAll(/<[^<>]{0,2000}>/g, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (all, decimal, hex, name) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
      return code === undefined
        ? (ENTITIES[name] ?? all)
        : code <= 0x10ffff
          ? String.fromCodePoint(code)
          : all
    })
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
