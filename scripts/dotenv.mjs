// Loaded before the service and the command line. The environment has precedence over .env.
import { existsSync } from 'node:fs'

if (existsSync('.env')) process.loadEnvFile('.env')
