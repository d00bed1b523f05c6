Feature: A bash script behaves the same, no matter which client answers its calls

  Rule: The agent can be configured to use the verb client for bash too

    @own-agent @VERB-002 @VERB-004 @VERB-005 @VERB-006 @ERR-040 @ERR-041 @SCR-027 @SCR-028 @SCR-072
    Scenario Outline: bash calls verbs through <who>
      Given an agent of its own with the environment:
        | SVC_AGENT_IN_SHELL | <setting> |
      When I submit the script "forms.sh" to that agent:
        """
        exec > >(cat >> {folder}/printed)
        [ "$(command -v svc)" = "${PATH%%:*}/svc" ] && echo "the program is named"
        svc step plain -- echo plain
        taken=$(svc step taken -- printf 'two\n\n'); echo "<$taken>"
        svc step piped -- printf 'b\na\n' | sort
        printf 'fed\n' | svc step fed -- cat
        if svc step refuses -- sh -c 'echo no; exit 3'; then echo wrong; else echo "code $?"; fi
        (svc step sub -- echo sub; svc step sub -- echo twice)
        svc step back -- echo back & wait "$!"
        env svc step by-env -- echo env
        bash -c 'svc step by-child -- echo child'
        svc step body -- env | grep -o '^SVC_[A-Z_]*'
        svc step nested -- sh -c 'said=$(svc step inner -- true 2>&1) || echo "exit $?"
          echo "$said" | grep -o "SVC_AGENT_SOCKET is not set"'
        env | grep -q '^BASH' || echo "nothing of bash in the environment"
        svc wait-signal go >/dev/null
        exec >&-; wait
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And 13 steps are recorded
      And the file "printed" holds this 2 times:
        """
        the program is named
        plain
        <two>
        a
        b
        fed
        no
        code 3
        sub
        twice
        back
        env
        child
        SVC_IDEMPOTENCY_KEY
        exit 1
        SVC_AGENT_SOCKET is not set
        nothing of bash in the environment
        """

      Examples:
        | who                | setting |
        | bash itself        |         |
        | the program        | off     |

  Rule: Output is returned unchanged, on the first pass and on every later one

    @VERB-002 @VERB-004 @VERB-006 @SCR-014
    Scenario: output can have bytes that bash variables cannot hold, up to the maximum size
      When I submit the script "bytes.sh":
        """
        {
          svc step nul -- printf 'a\0b\n\0' | od -An -tx1
          svc step no-newline -- printf 'end'; echo '|'
          svc step not-utf-8 -- printf '\377\376' | od -An -tx1
          svc step whole -- head -c 2097152 /dev/zero | cksum
          svc step empty -- true | wc -c
        } >> {folder}/bytes
        svc wait-signal go >/dev/null
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And the file "bytes" holds this 2 times:
        """
         61 00 62 0a 00
        end|
         ff fe
        1742489887 2097152
        0
        """

  Rule: A long journal is replayed without running commands

    @VERB-001 @VERB-006 @SCR-015 @SCR-023
    Scenario Outline: a journal with <steps> steps is replayed
      When I submit the script "long.sh":
        """
        echo pass >> {folder}/passes
        for ((i = 0; i < <steps>; i++)); do
          svc step count -- tee -a {folder}/commands <<< "$i"
        done >> {folder}/printed
        svc wait-signal go >/dev/null
        """
      Then the long run comes to wait for "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And <recorded> steps are recorded on all pages
      And the file "passes" has 2 lines
      And the file "commands" has <steps> lines
      And the file "commands" has <steps> different lines
      And the file "printed" has <twice> lines
      And the file "printed" has <steps> different lines

      # Eight pages of the journal, and ten of the list of steps.
      Examples:
        | steps | recorded | twice |
        | 2000  | 2001     | 4000  |

      @long
      Examples:
        | steps | recorded | twice |
        | 10000 | 10001    | 20000 |
