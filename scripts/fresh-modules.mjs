/**
 * Run before each test file of those that share a process: what a file before it loaded of the tests' own modules is loaded
 * again, with its hooks and its state. What is tested stays loaded, which is what sharing saves.
 */
import { vi } from 'vitest'

vi.resetModules()
