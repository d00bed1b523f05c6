Feature: svc output and svc annotate describe the result of a run

  Rule: Staged keys become the output of a successful run

    @VERB-049
    Scenario: the keys of several calls are merged, and the last value of each key wins
      When I submit the script "out.sh":
        """
        svc output set version=1.0 count:=41
        svc sleep 20ms
        svc output set count:=42 'list:=[1, {"a": null}]' text=a=b
        """
      Then the run succeeds
      And "output" of the run is '{"version":"1.0","count":42,"list":[1,{"a":null}],"text":"a=b"}'
      And 1 step is recorded

    @VERB-050
    Scenario: a failed script has no output
      When I submit the script "fails.sh":
        """
        svc output set version=1.0
        svc step check -- true
        exit 4
        """
      Then the run fails with code "script_failed"
      And the run has no "output"

  Rule: A note belongs to the run and has no position

    @VERB-051
    Scenario: notes are written in Markdown on the command line or standard input
      When I submit the script "notes.sh":
        """
        svc annotate '# Built **it**'
        printf 'two\nlines' | svc annotate -
        svc sleep 20ms
        """
      Then the run succeeds
      And "annotations" of the run is '["# Built **it**","two\nlines"]'

    @VERB-052
    Scenario: a later pass can add a note that an earlier pass did not
      When I submit the script "boundary.sh":
        """
        echo pass >> {folder}/passes
        if [ "$(wc -l < {folder}/passes)" -gt 1 ]; then svc annotate 'only the later pass says so'; fi
        svc step work -- true
        svc sleep 20ms
        """
      Then the run succeeds
      And "annotations" of the run is '["only the later pass says so"]'
      And the recorded steps are:
        | site   | kind  |
        | work#0 | step  |
        | sleep#0     | sleep |
