/** A file with a line, and perhaps a column, such as `src/a.ts:41:2`; not a host with a port. */
export const PATH =
  /(?<![\w/\\.@:+-])(?:\.{0,2}[\\/])?(?:[\w@+.-]{1,100}[\\/]){0,30}[\w@+.-]{1,100}\.(?!(?:com|org|net|io|dev|local):)[a-z]\w{0,9}:\d{1,7}(?::\d{1,5})?(?![\w/])/gi;
