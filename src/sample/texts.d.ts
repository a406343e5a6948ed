declare module '*.txt' {
  const text: string;
  export = text;
}
