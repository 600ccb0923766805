// Loaded before the service and the command line: what .env says holds where the environment says nothing.
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile('.env')
