import { checkDashboardLadder, checkDashboardParts } from './dashboard.ts'
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

/** Every rule of the structure, by the title of its test. */
export const checks: Readonly<Record<string, (tree: Tree) => Problem[]>> = {
  'imports go down the order of wings and rooms': checkLadder,
  'imports in the dashboard go down its ladder': checkDashboardLadder,
  'parts of the dashboard know no route and no request': checkDashboardParts,
  'the product does not import its tests and scripts': checkAreas,
  'inside a folder routes use verbs, verbs use stores, stores use schema': checkFolders,
  'SQL is written in stores': checkSqlPlaces,
  'no file imports itself through other files': checkCycles,
  'every imported package is in package.json': checkPackages,
  'every file is reached from an entry point': checkReached,
  'files are short': checkFileLength,
  'functions are short': checkFunctionLength,
  'lines are short': checkColumns,
  'names of types and functions say what they do': checkNames,
  'names of files say what the files do': checkFileNames,
  'an exported name means one thing': checkExportedNames,
  'a table is written by one room': checkWriters,

  'an error that is caught and not rethrown has a reason in a comment': words.checkCatch,
  'time is read in one file': words.checkClock,
  'SQL does not read the time': words.checkDatabaseTime,
  'the environment is read in one file': words.checkEnvironment,
  'nothing is decided by Math.random': words.checkChance,
  'no test is skipped without a reason': words.checkTestsRun,
  'no comment names a plan or a discussion': words.checkComments,
  'no file names a path of one machine': words.checkPaths,
  'forbidden words do not appear': words.checkWords,
  'every table with rows of people is in the list of owned tables': checkOwned,
  'the walks of the architecture page name files that import each other': checkWalks,
}
