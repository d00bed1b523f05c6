Feature: The file name chooses the interpreter

  Rule: Without a flag, the file extension selects the interpreter

    @SCR-002
    Scenario: a script is submitted as a script on the command line
      Given a file "anything.txt":
        """
        echo "run by ${BASH_VERSION:+bash}"
        """
      When I submit "--as=script anything.txt" with the CLI as "it"
      Then the run succeeds
      And "kind" of the run is "script"
      And "workflow" of the run is "anything.txt"
      And the log is:
        """
        run by bash
        """

    @SCR-004
    Scenario: bash stops at the first failing command
      When I submit the script "stops.sh":
        """
        echo "flags $-, ${BASH_VERSION:+bash}"
        false
        echo 'this line is not reached'
        """
      Then the run fails with code "script_failed"
      And the log lacks "not reached"
      And the log has ", bash"

    @SCR-004
    Scenario: bash stops at an unset variable
      When I submit the script "unset.sh":
        """
        echo "hello $NOBODY_SET_THIS"
        echo 'this line is not reached'
        """
      Then the run fails with code "script_failed"
      And the log has "NOBODY_SET_THIS: unbound variable"
      And the log lacks "not reached"

    @SCR-005 @SCR-006 @SCR-007 @SCR-008
    Scenario Outline: svc runs <file>
      When I submit the script "<file>":
        """
        <source>
        """
      Then the run succeeds
      And the log is:
        """
        <output>
        """

      Examples:
        | file       | source                                                                    | output   |
        | typed.ts   | const words: readonly string[] = ['typed']; console.log(words[0] as string)      | typed    |
        | plain.js   | console.log(typeof require('node:os').EOL, this === module.exports)       | string true |
        | module.mjs | import { EOL } from 'node:os'; console.log(typeof EOL, await 1)           | string 1 |

      @needs-python3
      Examples:
        | file       | source                                                                    | output   |
        | three.py   | import sys; print("python", sys.version_info[0])                          | python 3 |

    @own-agent @SCR-009
    Scenario: Go programs run with go run
      Given a program "go" first on the path of an agent of its own:
        """
        #!/bin/sh
        echo "go $1 ${2##*/} of $# arguments"
        cat "$2"
        """
      When I submit the script "tool.go" to that agent:
        """
        package main
        """
      Then the run succeeds
      And the log is:
        """
        go run tool.go of 2 arguments
        package main
        """
