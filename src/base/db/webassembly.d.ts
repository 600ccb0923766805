/** The part of the platform that neither `lib: esnext` nor @types/node declares. */
declare namespace WebAssembly {
  type Module = object
  function compile(bytes: Uint8Array): Promise<Module>
}
