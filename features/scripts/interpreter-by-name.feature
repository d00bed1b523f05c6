Feature: --interpreter chooses the program that runs a script

  Rule: A submission can name another interpreter

    @SCR-010 @SCR-011
    Scenario: the named interpreter overrides the file extension and gets its arguments
      Given a file "shell.py":
        """
        case $- in *f*) echo "no globbing";; esac
        case $- in *u*) echo "no unset variables";; esac
        echo "run by ${BASH_VERSION:+bash}"
        """
      When I submit "--interpreter 'bash -f  -u' shell.py" with the CLI as "it"
      Then the run succeeds
      And the log is:
        """
        no globbing
        no unset variables
        run by bash
        """

    @SCR-011
    Scenario: the interpreter is split at spaces, and quotes have no meaning
      When I submit the script "words.sh" with the options '{"interpreter": "sh -c echo$IFS$0 \\"a b\\""}':
        """
        echo 'the file itself is not run'
        """
      Then the run succeeds
      And the log is:
        """
        "a
        """

    @SCR-012
    Scenario: a run fails if its interpreter is missing on the agent
      When I submit the script "lost.sh" with the options '{"interpreter": "no-such-program -x"}':
        """
        echo never
        """
      Then the run fails with code "interpreter_missing"
      And "error.message" of the run matches "no-such-program"
      And the error of the run names the agent
      And the log lacks "never"
