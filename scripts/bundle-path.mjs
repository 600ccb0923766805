/** The bundle of the program, from the root of a checkout. */
export const bundlePath = 'node_modules/.cache/bundle/cli-main.mjs'
