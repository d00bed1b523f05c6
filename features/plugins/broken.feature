@contract
Feature: Invalid plugins

  Rule: A startup error shows the plugin, the phase and the cause

    Background:
      Given the clone is noted as "clone"
      And an empty database
      And a master key noted as "key"

    @own-server @configured
    Scenario Outline: the server does not start with a plugin: <what>
      When I call "svc serve" with the settings:
        | SVC_PLUGINS      | {clone}/test/plugins/<plugin> |
        | SVC_THROWS_IN    | <phase>                       |
        | SVC_DATABASE_URL | {database}                    |
        | SVC_MASTER_KEY   | {key}                         |
        | SVC_PORT         | 0                             |
      Then it exits with 1
      And standard error has '<says>'
      And standard error has "(<code>)"
      And standard error has "→ "

      Examples:
        | what                              | plugin       | phase    | code            | says                                      |
        | it needs a plugin that is missing | needs-nobody |          | plugins_invalid | requires "nobody", which is not loaded    |
        | its manifest is wrong             | bad-manifest |          | plugins_invalid | plugin.json /id                           |
        | it is not there                   | nowhere      |          | plugins_invalid | has a plugin.json                         |
        | it throws in register             | throws       | register | plugin_failed   | plugin throws failed in phase register: broken on purpose |
        | it throws in init                 | throws       | init     | plugin_failed   | plugin throws failed in phase init: broken on purpose     |
        | it throws in start                | throws       | start    | plugin_failed   | plugin throws failed in phase start: broken on purpose    |
        | it throws in ready                | throws       | ready    | plugin_failed   | plugin throws failed in phase ready: broken on purpose    |

    Scenario: problems in all plugins are reported together
      When I call "svc plugins" with "SVC_PLUGINS" set to "{clone}/test/plugins/needs-nobody:{clone}/test/plugins/bad-manifest"
      Then it exits with 1
      And standard error has 'requires "nobody"'
      And standard error has "plugin.json /id"
