Feature: The input of a script is a file

  Rule: the file holds everything that started the run

    @SCR-046 @SCR-048
    Scenario: a run submitted by a person is manual
      When I submit the script "input.js" with input '{"ref": "main", "list": [1, "ü", null]}':
        """
        const text = require('node:fs').readFileSync(process.env.SVC_INPUT_FILE, 'utf8');
        const { type, input } = JSON.parse(text);
        console.log(type, JSON.stringify(input));
        """
      Then the run succeeds
      And the log is:
        """
        manual {"ref":"main","list":[1,"ü",null]}
        """

    @SCR-046
    Scenario: every pass gets the same object
      When I submit the script "same.sh" with input '"x"':
        """
        cat "$SVC_INPUT_FILE" >> {folder}/seen
        echo >> {folder}/seen
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "seen" has 2 lines
      And the file "seen" has 1 different line

    @SCR-051
    Scenario: an input of the maximum size arrives unchanged
      When I submit the script "large.js" with an input of 2097152 bytes:
        """
        const { input } = JSON.parse(require('node:fs').readFileSync(process.env.SVC_INPUT_FILE, 'utf8'));
        console.log(input.length, input.slice(-3));
        """
      Then the run succeeds
      And the log is:
        """
        2097150 end
        """
