<?php
// A context of the program's own takes the place of the default one.
$text = file_get_contents($argv[1], false, stream_context_create(['http' => ['header' => 'X-Own: 1']]));
echo $text;
exit($text === false ? 1 : 0);
