import { checkExportedNames, checkFileNames, checkNames } from './names.ts'
import {
  checkAreas,
  checkCycles,
  checkFolders,
  checkLadder,
  checkPackages,
  checkReached,
  checkSqlPlaces,
} from './order.ts'
import { checkOwned } from './people.ts'
import { checkColumns, checkFileLength, checkFunctionLength } from './size.ts'
import type { Problem, Tree } from './source.ts'
import { checkWriters } from './tables.ts'
import { checkWalks } from './walks.ts'
import * as words from './words.ts'

/** Every rule of the house, by the sentence that its test is called. */
export const checks: Readonly<Record<string, (tree: Tree) => Problem[]>> = {
  'imports go down the ladder': checkLadder,
  'the product does not import its tests and scripts': checkAreas,
  'inside a folder routes use verbs, verbs use stores, stores use schema': checkFolders,
  'SQL is written in stores': checkSqlPlaces,
  'no file imports itself by a round trip': checkCycles,
  'every imported package is in package.json': checkPackages,
  'every file is imported by somebody': checkReached,
  'files are short': checkFileLength,
  'functions are short': checkFunctionLength,
  'lines are short': checkColumns,
  'types and functions say what they do': checkNames,
  'files say what they do': checkFileNames,
  'an exported name means one thing': checkExportedNames,
  'a table is written by one room': checkWriters,

  'an error that is swallowed is explained': words.checkCatch,
  'time is read in one file': words.checkClock,
  'SQL does not read the time': words.checkDatabaseTime,
  'the environment is read in one file': words.checkEnvironment,
  'nothing is decided by Math.random': words.checkChance,
  'no test is left out': words.checkTestsRun,
  'comments are finished and stand alone': words.checkComments,
  'no path of one machine is written down': words.checkPaths,
  'forbidden words do not appear': words.checkWords,
  'every table with a person in it is in the list of owned tables': checkOwned,
  'the walks of the architecture page are true': checkWalks,
}
