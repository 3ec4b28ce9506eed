import { expect, it } from 'vitest'
import { COMMAND_FILES, loadAllCommands, loadCommands } from '#cli/commands/all.js'

it('loads a command by its first word, with all others that begin with it', async () => {
  for (const { name } of await loadAllCommands()) {
    const [word] = name.split(' ')
    const loaded = await loadCommands(word!)
    expect(loaded.map(command => command.name)).toContain(name)
  }
})

it('loads no file for a word that none of its commands begin with', async () => {
  for (const { words, load } of COMMAND_FILES) {
    const commands = await load()
    const firsts = new Set(commands.map(({ name }) => name.split(' ')[0]))
    expect([...firsts].sort()).toEqual([...words].sort())
  }
})

it('loads nothing for a word that is no command', async () => {
  expect(await loadCommands('transcripe')).toEqual([])
})
